# SPDX-License-Identifier: Apache-2.0
# shardscope_embed(target function folder): compiles presets/<folder>/*.toml into `target` as
# std::span<const EmbeddedFile> embedded::<function>(), sorted by name; a changed, new or removed file builds it again.
# shardscope_embed_glob(target function pattern): the same for the files of any pattern.
# Run as a script (cmake -P) this file writes that source.

if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB files ${PATTERN})
  list(SORT files)
  set(arrays "")
  set(entries "")
  foreach(path ${files})
    get_filename_component(name ${path} NAME_WE)
    file(READ ${path} text)
    # An array knows its length; a constant string_view would count it, which has a limit.
    string(MAKE_C_IDENTIFIER "text_${name}" array)
    string(APPEND arrays "  static constexpr char ${array}[] = R\"embedded(${text})embedded\";\n")
    string(APPEND entries "    {\"${name}\", {${array}, sizeof ${array} - 1}},\n")
  endforeach()
  set(body "${arrays}  static constexpr EmbeddedFile kFiles[] = {\n${entries}  };\n  return kFiles;\n")
  if(entries STREQUAL "")  # no file matches: C++ has no empty array
    set(body "  return {};\n")
  endif()
  file(WRITE ${OUTPUT} "// Written by packaging/cmake/embed_files.cmake.
#include <span>

#include \"engine/base/embedded_file.h\"

namespace shardscope::embedded {

std::span<const EmbeddedFile> ${FUNCTION}();  // NOLINT(readability-redundant-declaration): unity
std::span<const EmbeddedFile> ${FUNCTION}() {
${body}}

}  // namespace shardscope::embedded
")
  return()
endif()

function(shardscope_embed target function folder)
  shardscope_embed_glob(${target} ${function} "${PROJECT_SOURCE_DIR}/presets/${folder}/*.toml")
endfunction()

function(shardscope_embed_glob target function pattern)
  file(GLOB files CONFIGURE_DEPENDS ${pattern})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  set(script ${PROJECT_SOURCE_DIR}/packaging/cmake/embed_files.cmake)
  # The list of names is a dependency too: a removed file must go from the program.
  file(CONFIGURE OUTPUT ${output}.list CONTENT "${files}")
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DPATTERN=${pattern} -DFUNCTION=${function}
            -DOUTPUT=${output} -P ${script}
    DEPENDS ${files} ${output}.list ${script} VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
