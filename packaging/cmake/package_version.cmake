# SPDX-License-Identifier: Apache-2.0
include(${CPACK_SHARDSCOPE_SOURCE}/packaging/cmake/commit.cmake)
shardscope_version(${CPACK_SHARDSCOPE_SOURCE} ${CPACK_SHARDSCOPE_BASE})
set(CPACK_PACKAGE_VERSION ${VERSION})
set(CPACK_PACKAGE_FILE_NAME shardscope-${VERSION})
