# SPDX-License-Identifier: Apache-2.0
# The changelogs into FOLDER: ours, and the package's own, whose one entry is the version that is packed, by CONTACT.
include(${SOURCE}/packaging/cmake/commit.cmake)
shardscope_version(${SOURCE} ${BASE})
execute_process(COMMAND git -C ${SOURCE} log -1 --format=%ct OUTPUT_VARIABLE stamp OUTPUT_STRIP_TRAILING_WHITESPACE
                ERROR_QUIET RESULT_VARIABLE problem)
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  set(stamp $ENV{SOURCE_DATE_EPOCH})
elseif(problem)
  file(TIMESTAMP ${SOURCE}/CHANGELOG.md stamp "%s" UTC)
endif()
execute_process(COMMAND date -u -R -d @${stamp} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
file(MAKE_DIRECTORY ${FOLDER})
file(WRITE ${FOLDER}/changelog "shardscope (${VERSION}) unstable; urgency=medium

  * What is new in Shardscope is in its CHANGELOG.md.

 -- ${CONTACT}  ${date}
")
file(COPY ${SOURCE}/CHANGELOG.md DESTINATION ${FOLDER})
execute_process(COMMAND gzip -9nf ${FOLDER}/changelog ${FOLDER}/CHANGELOG.md COMMAND_ERROR_IS_FATAL ANY)
