# SPDX-License-Identifier: Apache-2.0
# Where an installed Shardscope puts its files, and the Debian package.
include(GNUInstallDirs)
if(NOT SHARDSCOPE_GUI)
  return()
endif()

add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/shardscope.1
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:shardscope> -DOUTPUT=${CMAKE_BINARY_DIR}/shardscope.1
          -P ${PROJECT_SOURCE_DIR}/packaging/cmake/write_man_page.cmake
  DEPENDS shardscope VERBATIM)
add_custom_target(man_page ALL DEPENDS ${CMAKE_BINARY_DIR}/shardscope.1)

install(TARGETS shardscope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${CMAKE_BINARY_DIR}/shardscope.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/shardscope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES ${PROJECT_SOURCE_DIR}/assets/shardscope.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The Shardscope authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Explorer of sharded matrix multiplication on device meshes")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Loaded at run time, so SHLIBDEPS cannot see them.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libgl1, libgl1-mesa-dri, qt6-qpa-plugins, fonts-dejavu-core")
include(CPack)
