# SPDX-License-Identifier: Apache-2.0
# Libraries for a program that needs none of the system: archives alone are found, and Debian's {fmt} and toml++, which
# have none, are built from their own headers. Without archives of the others the program is linked as usual.
find_library(SHARDSCOPE_OPENBLAS_ARCHIVE libopenblas.a)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgfortran.a OUTPUT_VARIABLE gfortran
                OUTPUT_STRIP_TRAILING_WHITESPACE)
if(SHARDSCOPE_GUI)
  message(FATAL_ERROR "SHARDSCOPE_STATIC needs SHARDSCOPE_GUI=OFF: Qt has no archives")
endif()
if(NOT SHARDSCOPE_OPENBLAS_ARCHIVE OR NOT IS_ABSOLUTE "${gfortran}")
  message(STATUS "libopenblas.a or libgfortran.a is missing (packaging/install-deps.sh --cli installs them): "
                 "the program will need libraries of this system")
  set(SHARDSCOPE_STATIC OFF)
  return()
endif()
set(SHARDSCOPE_PLAIN_THREADS ON)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(CMAKE_EXE_LINKER_FLAGS "${CMAKE_EXE_LINKER_FLAGS} -static")

set(folder ${CMAKE_BINARY_DIR}/archives)
file(CONFIGURE OUTPUT ${folder}/fmt.cpp CONTENT [[
// {fmt}'s functions and the instances that its own library has.
#include <fmt/format-inl.h>
FMT_BEGIN_NAMESPACE
namespace detail {
template FMT_API auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API auto locale_ref::get<std::locale>() const -> std::locale;
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
template FMT_API void buffer<char>::append(const char*, const char*);
template FMT_API void vformat_to(buffer<char>&, string_view, basic_format_args<FMT_BUFFER_CONTEXT(char)>, locale_ref);
}
FMT_END_NAMESPACE
]] @ONLY)
add_library(static_fmt STATIC ${folder}/fmt.cpp)
target_compile_definitions(static_fmt PUBLIC FMT_SHARED)  # as of the shared one: the same objects go with both
add_library(fmt::fmt ALIAS static_fmt)
add_library(static_toml INTERFACE)
target_compile_definitions(static_toml INTERFACE TOML_HEADER_ONLY=1)
add_library(tomlplusplus::tomlplusplus ALIAS static_toml)
