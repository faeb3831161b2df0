# SPDX-License-Identifier: Apache-2.0
# Run at every build: writes the commit into a header, which changes only when the commit does.
execute_process(COMMAND git -C ${SOURCE_DIR} rev-parse HEAD
  OUTPUT_VARIABLE sha OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
set(dirty false)
if(failed)
  set(sha "")
else()
  execute_process(COMMAND git -C ${SOURCE_DIR} status --porcelain --untracked-files=no
    OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    set(dirty true)
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#pragma once
#define SPB_VERSION "@VERSION@"
#define SPB_GIT_SHA "@sha@"
#define SPB_GIT_DIRTY @dirty@
#define SPB_BUILD_TYPE "@BUILD_TYPE@"
#define SPB_COMPILER "@COMPILER@"
]])
