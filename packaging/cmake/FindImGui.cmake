# SPDX-License-Identifier: Apache-2.0
# Debian's libimgui-dev: one static library (core, FreeType, OpenGL 3 backend with its own loader), no config file.
find_path(ImGui_INCLUDE_DIR imgui.h PATH_SUFFIXES imgui)
find_library(ImGui_LIBRARY imgui)
find_library(ImGui_STB_LIBRARY stb)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ImGui REQUIRED_VARS ImGui_LIBRARY ImGui_STB_LIBRARY ImGui_INCLUDE_DIR)
if(ImGui_FOUND AND NOT TARGET ImGui::ImGui)
  find_package(Freetype QUIET)
  add_library(ImGui::ImGui UNKNOWN IMPORTED)
  set_target_properties(ImGui::ImGui PROPERTIES IMPORTED_LOCATION ${ImGui_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${ImGui_INCLUDE_DIR};${ImGui_INCLUDE_DIR}/backends"
    INTERFACE_LINK_LIBRARIES "${ImGui_STB_LIBRARY};${CMAKE_DL_LIBS}")
  if(Freetype_FOUND)
    set_property(TARGET ImGui::ImGui APPEND PROPERTY INTERFACE_LINK_LIBRARIES Freetype::Freetype)
  endif()
endif()
