# SPDX-License-Identifier: Apache-2.0
# Where an installed Shardscope puts its files, and the Debian package: `cpack -G DEB` in a build folder.
include(GNUInstallDirs)
if(NOT SHARDSCOPE_APP)
  return()
endif()
# The component is what a wheel takes, beside the other programs of its environment.
if(SKBUILD_SCRIPTS_DIR)
  set(CMAKE_INSTALL_BINDIR ${SKBUILD_SCRIPTS_DIR})
endif()
install(TARGETS shardscope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
# Two packages of one program; each takes the other's place.
if(SHARDSCOPE_GUI)
  set(package shardscope)
  set(other shardscope-cli)
else()
  set(package shardscope-cli)
  set(other shardscope)
endif()
set(CMAKE_INSTALL_DOCDIR ${CMAKE_INSTALL_DATAROOTDIR}/doc/${package})

# What the program says of itself: its man page, compressed, and the completion of two shells.
set(written ${CMAKE_BINARY_DIR}/written)
file(MAKE_DIRECTORY ${written})
add_custom_command(
  OUTPUT ${written}/shardscope.1.gz ${written}/shardscope.bash ${written}/_shardscope
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:shardscope> -DFOLDER=${written}
          -P ${PROJECT_SOURCE_DIR}/packaging/cmake/write_texts.cmake
  DEPENDS shardscope ${PROJECT_SOURCE_DIR}/packaging/cmake/write_texts.cmake VERBATIM)
add_custom_target(written_texts ALL DEPENDS ${written}/shardscope.1.gz)

set(share ${PROJECT_SOURCE_DIR}/packaging/share)
install(FILES ${written}/shardscope.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${written}/shardscope.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME shardscope)
install(FILES ${written}/_shardscope DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
if(SHARDSCOPE_GUI)
  install(FILES ${share}/shardscope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
  install(FILES ${share}/shardscope.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)
  install(FILES ${share}/io.github.shardscope.shardscope.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
  install(FILES ${PROJECT_SOURCE_DIR}/assets/shardscope.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
endif()
install(FILES ${share}/copyright ${PROJECT_SOURCE_DIR}/NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# A package needs an address of who made it; there is none to write to, and .invalid says so.
set(CPACK_PACKAGE_CONTACT "The Shardscope authors <authors@shardscope.invalid>")
install(CODE "
  set(SOURCE ${PROJECT_SOURCE_DIR})
  set(CONTACT \"${CPACK_PACKAGE_CONTACT}\")
  set(BASE ${PROJECT_VERSION})
  set(FOLDER \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
  include(${PROJECT_SOURCE_DIR}/packaging/cmake/write_changelog.cmake)")

set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
# The version is looked up when the package is made: commits come after configuring.
set(CPACK_SHARDSCOPE_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_SHARDSCOPE_BASE ${PROJECT_VERSION})
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/packaging/cmake/package_version.cmake)
set(CPACK_PACKAGE_NAME ${package})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "explorer of sharded matrix multiplication on device meshes")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Give it a mesh, a problem, shardings and a chip: Shardscope runs every known
strategy for that product on simulated devices, proves the numbers of each,
simulates where the time goes, and shows who holds which block, how blocks
travel, and which strategy wins and why. HLO and StableHLO modules are
partitioned, proved and timed; every run is recorded in SQLite.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONFLICTS ${other})
set(CPACK_DEBIAN_PACKAGE_REPLACES ${other})
if(SHARDSCOPE_GUI)
  # Loaded at run time, so SHLIBDEPS cannot see them.
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libgl1, libgl1-mesa-dri, qt6-qpa-plugins, fonts-dejavu-core")
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "qt6-wayland, openmpi-bin")
else()
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "openmpi-bin")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "explorer of sharded matrix multiplication, without a window")
  string(APPEND CPACK_DEBIAN_PACKAGE_DESCRIPTION
"\nThis package has the commands alone; the package shardscope has the window,
and pictures as PNG and PDF.")
endif()
include(CPack)
