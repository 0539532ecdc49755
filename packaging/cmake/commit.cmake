# SPDX-License-Identifier: Apache-2.0
# Writes the commit that is built into OUT, a source file, when it is another than before: `cmake -DSOURCE=… -DOUT=… -P`.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE problem)
if(problem)
  set(commit "")
endif()
set(text "namespace shardscope {\nextern const char* const kBuiltCommit;\nconst char* const kBuiltCommit = \"${commit}\";\n}\n")
set(before "")
if(EXISTS ${OUT})
  file(READ ${OUT} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${OUT} "${text}")
endif()
