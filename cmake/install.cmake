# SPDX-License-Identifier: Apache-2.0
# cmake --install BUILD --prefix DIR, and packages of it: cpack --config BUILD/CPackConfig.cmake.
# The program finds share/spconv-bench from where it lies itself: the prefix may be moved.
include(GNUInstallDirs)
set(data ${CMAKE_INSTALL_DATADIR}/spconv-bench)
install(TARGETS spconv-bench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY configs DESTINATION ${data})
# Of the scans the one that may be shipped: others in the folder were fetched from packages.
install(DIRECTORY datasets DESTINATION ${data} USE_SOURCE_PERMISSIONS FILES_MATCHING
  PATTERN dataset.toml PATTERN fetch.sh PATTERN LICENSE PATTERN room_scan1.pcd)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

# What the program says of itself, as it is installed.
set(written
  "man|spconv-bench.1|${CMAKE_INSTALL_MANDIR}/man1"
  "completions bash|spconv-bench|${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
  "completions zsh|_spconv-bench|${CMAKE_INSTALL_DATADIR}/zsh/site-functions"
  "completions fish|spconv-bench.fish|${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
foreach(row ${written})
  string(REPLACE "|" ";" row ${row})
  list(GET row 0 command)
  list(GET row 1 file)
  list(GET row 2 folder)
  string(REPLACE " " ";" command "${command}")
  set(file ${CMAKE_BINARY_DIR}/written/${file})
  install(CODE "
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/written)
    execute_process(COMMAND $<TARGET_FILE:spconv-bench> ${command} OUTPUT_FILE ${file} RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR \"spconv-bench ${command} failed: \${failed}\")
    endif()")
  install(FILES ${file} DESTINATION ${folder})
endforeach()

set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_VENDOR "spconv-bench contributors")
set(CPACK_PACKAGE_CONTACT "spconv-bench contributors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "benchmark of 3D sparse convolution: verified, timed, memory accounted")
set(CPACK_PACKAGE_FILE_NAME "spconv-bench-${PROJECT_VERSION}-${SPB_GPU}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # by dpkg-shlibdeps, of dpkg-dev
set(CPACK_DEBIAN_PACKAGE_SUGGESTS gnuplot-nox)
include(CPack)
