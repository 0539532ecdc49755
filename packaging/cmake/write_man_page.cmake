# SPDX-License-Identifier: Apache-2.0
execute_process(COMMAND ${PROGRAM} --man OUTPUT_FILE ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
