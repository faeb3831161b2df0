# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=... -DFOLDER=... -P: which HIP is taken and for which chips, of made-up folders and texts.
include(${SOURCE}/cmake/rocm.cmake)

function(expect what found wanted)
  if(NOT "${found}" STREQUAL "${wanted}")
    message(SEND_ERROR "${what}: '${found}', expected '${wanted}'")
  endif()
endfunction()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/none/bin)
foreach(name first second)
  file(WRITE ${FOLDER}/${name}/bin/amdclang++ "#!/bin/sh\n")
  file(CHMOD ${FOLDER}/${name}/bin/amdclang++ PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endforeach()

spb_rocm_root(root "" ${FOLDER}/none ${FOLDER}/first ${FOLDER}/second)
expect("the first with a compiler" "${root}" ${FOLDER}/first)
spb_rocm_root(root "" ${FOLDER}/none)
expect("no compiler" "${root}" "")

spb_chips_of(chips "gfx000\ngfx942\ngfx942\n")
expect("two cards of a chip" "${chips}" gfx942)
spb_chips_of(chips "gfx90a\r\n gfx1100 \n")
expect("two chips" "${chips}" "gfx90a;gfx1100")
spb_chips_of(chips "gfx000\n")
expect("a processor alone" "${chips}" "")
spb_chips_of(chips "Failed to open /dev/kfd; gfx\nROCk module is NOT loaded, possibly no GPU devices\n")
expect("an error" "${chips}" "")

file(WRITE ${FOLDER}/first/bin/rocm_agent_enumerator "#!/bin/sh\necho gfx000; echo gfx942\n")
file(CHMOD ${FOLDER}/first/bin/rocm_agent_enumerator PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
spb_chips_here(chips ${FOLDER}/first)
expect("the enumerator of the ROCm that is taken" "${chips}" gfx942)

spb_debian_refuses(refused gfx90a gfx942 gfx1030 gfx1100 gfx1201 gfx950)
expect("clang 15" "${refused}" "gfx942;gfx1100;gfx1201;gfx950")
spb_debian_refuses(refused gfx90a)
expect("clang 15" "${refused}" "")

# bootstrap.sh, asked what it would do.
function(plan out rocm)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env ROCM_PATH=${rocm} ${SOURCE}/bootstrap.sh plan --vendor hip
    OUTPUT_VARIABLE text ERROR_VARIABLE error)
  set(${out} "${text}${error}" PARENT_SCOPE)
endfunction()
plan(text ${FOLDER}/first)
if(NOT text MATCHES "HIP of ${FOLDER}/first" OR text MATCHES "hip-debian.cmake" OR text MATCHES "libamdhip64-dev")
  message(SEND_ERROR "ROCm in a folder: ${text}")
endif()
if(NOT EXISTS /opt/rocm)
  plan(text ${FOLDER}/none)
  if(text MATCHES "needs ROCm in /opt/rocm")  # not Debian 12
    return()
  endif()
  if(NOT text MATCHES "hip-debian.cmake" OR NOT text MATCHES "libamdhip64-dev")
    message(SEND_ERROR "no ROCm: ${text}")
  endif()
endif()
