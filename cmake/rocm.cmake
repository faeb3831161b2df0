# SPDX-License-Identifier: Apache-2.0
# Which ROCm, and for which chips: answers from folders and texts alone, so that tests/rocm can ask with made-up ones.

# spb_rocm_root(OUT FOLDERS...): the first of them with AMD's own compiler, or an empty word.
function(spb_rocm_root out)
  set(${out} "" PARENT_SCOPE)
  foreach(folder ${ARGN})
    if(EXISTS "${folder}/bin/amdclang++")
      set(${out} "${folder}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# spb_chips_of(OUT TEXT): the chips that rocm_agent_enumerator or amdgpu-arch printed, a line each, once each. The
# former calls a processor gfx000; where there is no card, both may print an error instead.
function(spb_chips_of out text)
  string(REGEX MATCHALL "[^\r\n]+" lines "${text}")
  set(chips "")
  foreach(line ${lines})
    string(STRIP "${line}" line)
    if(line MATCHES "^gfx[0-9a-f]+$" AND NOT line STREQUAL "gfx000")
      list(APPEND chips ${line})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES chips)
  set(${out} "${chips}" PARENT_SCOPE)
endfunction()

# spb_chips_here(OUT ROOT): of the cards of this machine, as the tools of ROOT or of the system tell.
function(spb_chips_here out root)
  set(chips "")
  foreach(tool rocm_agent_enumerator amdgpu-arch)
    find_program(SPB_TOOL_${tool} ${tool} HINTS "${root}/bin" "${root}/llvm/bin")
    mark_as_advanced(SPB_TOOL_${tool})
    if(SPB_TOOL_${tool})
      execute_process(COMMAND ${SPB_TOOL_${tool}} OUTPUT_VARIABLE text ERROR_QUIET TIMEOUT 20)
      spb_chips_of(chips "${text}")
    endif()
    if(chips)
      break()
    endif()
  endforeach()
  set(${out} "${chips}" PARENT_SCOPE)
endfunction()

# spb_debian_refuses(OUT CHIPS...): the chips that clang 15 of Debian 12 makes no code for: it does not know gfx94x,
# gfx95x and gfx12, and of gfx11 it cannot read the clock (lib/gpu/vendor/hip_device.cuh).
function(spb_debian_refuses out)
  set(chips ${ARGN})
  list(FILTER chips INCLUDE REGEX "^gfx(94|95|11|12)")
  set(${out} "${chips}" PARENT_SCOPE)
endfunction()
