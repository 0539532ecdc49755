# SPDX-License-Identifier: Apache-2.0
# Which version and commit are built: shardscope_version(SOURCE BASE) sets VERSION and COMMIT in its caller.
#   on the tag vX                     X
#   on any other commit               BASE+git<commits so far>.<commit>, with .dirty when files were changed
#   unpacked from `git archive`       BASE+<commit>, which git wrote into packaging/archive_commit.txt
#   otherwise                         BASE, no commit
# As a script (cmake -DSOURCE=… -DBASE=… -DOUT=… -P) it writes both into OUT, a source file, when they are others than
# before.
function(shardscope_git result)
  execute_process(COMMAND git -C ${SOURCE} ${ARGN} OUTPUT_VARIABLE out OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                  RESULT_VARIABLE problem)
  if(problem)
    set(out "")
  endif()
  set(${result} "${out}" PARENT_SCOPE)
endfunction()

function(shardscope_version SOURCE BASE)
  set(version "${BASE}")
  set(commit "")
  # A source inside of somebody else's repository is none of its commits.
  execute_process(COMMAND git -C ${SOURCE} rev-parse --show-prefix OUTPUT_VARIABLE prefix
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE problem)
  if(NOT problem AND prefix STREQUAL "")
    shardscope_git(commit describe --always --dirty --abbrev=12 --exclude=*)
    shardscope_git(tag describe --exact-match --match=v[0-9]* --dirty)
    if(tag MATCHES "^v([0-9.]+)$")
      set(version "${CMAKE_MATCH_1}")
    elseif(NOT commit STREQUAL "")
      shardscope_git(count rev-list --count HEAD)
      string(REPLACE "-" "." suffix "${commit}")
      set(version "${BASE}+git${count}.${suffix}")
    endif()
  elseif(EXISTS ${SOURCE}/packaging/archive_commit.txt)
    file(STRINGS ${SOURCE}/packaging/archive_commit.txt archived REGEX "^[0-9a-f]+$" LIMIT_COUNT 1)
    if(archived)
      string(SUBSTRING "${archived}" 0 12 commit)
      set(version "${BASE}+${commit}")
    endif()
  endif()
  set(VERSION "${version}" PARENT_SCOPE)
  set(COMMIT "${commit}" PARENT_SCOPE)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  return()
endif()
shardscope_version(${SOURCE} ${BASE})
set(text "namespace shardscope::embedded {\n")
foreach(pair "kBuiltCommit;${COMMIT}" "kBuiltVersion;${VERSION}")
  list(GET pair 0 name)
  list(LENGTH pair length)
  set(value "")
  if(length GREATER 1)
    list(GET pair 1 value)
  endif()
  string(APPEND text "extern const char* const ${name};\nconst char* const ${name} = \"${value}\";\n")
endforeach()
string(APPEND text "}\n")
set(before "")
if(EXISTS ${OUT})
  file(READ ${OUT} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${OUT} "${text}")
endif()
