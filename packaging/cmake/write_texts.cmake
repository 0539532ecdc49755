# SPDX-License-Identifier: Apache-2.0
# What PROGRAM says of itself into FOLDER: its man page, compressed, and completions.
foreach(pair "--man;shardscope.1" "completion bash;shardscope.bash" "completion zsh;_shardscope")
  list(GET pair 0 words)
  list(GET pair 1 file)
  separate_arguments(words)
  execute_process(COMMAND ${PROGRAM} ${words} OUTPUT_FILE ${FOLDER}/${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND gzip -9nf ${FOLDER}/shardscope.1 COMMAND_ERROR_IS_FATAL ANY)
