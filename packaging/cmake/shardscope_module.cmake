# SPDX-License-Identifier: Apache-2.0
# One library per module, one test program per tested folder; warnings are errors in both.

add_library(shardscope_flags INTERFACE)
target_include_directories(shardscope_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(shardscope_flags INTERFACE -Wall -Wextra -Wshadow -Wpedantic -Wnon-virtual-dtor
                       -Woverloaded-virtual -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC bug 105651: std::string's operator+ and insert warn of overlapping copies that cannot be.
  target_compile_options(shardscope_flags INTERFACE -Wno-restrict)
  # Its x86 peepholes lose an absolute value now and then: after neg, mov and cmovns of the same register it
  # stays negative (seen in std::lcm at -O3 in cannon_rectangular.cpp, which another unity batch hid).
  # clang-tidy reads GCC's flags and refuses those it does not know.
  if(NOT CMAKE_CXX_CLANG_TIDY)
    target_compile_options(shardscope_flags INTERFACE -fno-peephole2)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_CLANG_TIDY)
  # The compiler ends before its garbage (in KiB) is worth collecting: a tenth of its time for a fifth more memory.
  target_compile_options(shardscope_flags INTERFACE --param=ggc-min-heapsize=1048576)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Embedded files are longer than C++ makes every compiler take.
  target_compile_options(shardscope_flags INTERFACE -Wno-overlength-strings)
endif()
target_compile_definitions(shardscope_flags INTERFACE SHARDSCOPE_VERSION="${PROJECT_VERSION}")
if(SHARDSCOPE_NIGHTLY)
  target_compile_definitions(shardscope_flags INTERFACE SHARDSCOPE_NIGHTLY)
endif()
if(SHARDSCOPE_SANITIZE)
  target_compile_options(shardscope_flags INTERFACE -fsanitize=${SHARDSCOPE_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(shardscope_flags INTERFACE -fsanitize=${SHARDSCOPE_SANITIZE})
  if(SHARDSCOPE_SANITIZE_NOT)
    target_compile_options(shardscope_flags INTERFACE -fno-sanitize=${SHARDSCOPE_SANITIZE_NOT})
  endif()
endif()
if(SHARDSCOPE_FUZZ)  # without it libFuzzer sees no coverage and stops at once
  target_compile_options(shardscope_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Modules that read what people write, print and show, but count nothing: at -O1 they build in two thirds of the time
# that -O3 takes. All others are what users wait for.
set(SHARDSCOPE_COOL engine_help engine_lesson engine_measure engine_partition engine_report engine_request
                    engine_session views_player app_cli app_report app_window)

# shardscope_module(name DEPENDS libraries... [PRIVATE ...] [GUI ...] [GUI_PRIVATE ...]): a static library of the .cpp
# files in the current folder and its rooms. A room `gui` holds what needs Qt or Dear ImGui, a room `without_gui` what
# stands in for it: one of the two is built, with the libraries of GUI for the first.
function(shardscope_module name)
  cmake_parse_arguments(M "" "" "DEPENDS;PRIVATE;GUI;GUI_PRIVATE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
  list(FILTER sources EXCLUDE REGEX ".*/main\\.cpp$")
  if(SHARDSCOPE_GUI)
    list(FILTER sources EXCLUDE REGEX ".*/without_gui/[^/]*$")
    list(APPEND M_DEPENDS ${M_GUI})
    list(APPEND M_PRIVATE ${M_GUI_PRIVATE})
  else()
    list(FILTER sources EXCLUDE REGEX ".*/gui/[^/]*$")
  endif()
  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PUBLIC shardscope_flags ${M_DEPENDS} PRIVATE ${M_PRIVATE})
  if(name IN_LIST SHARDSCOPE_COOL)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# shardscope_test(name folder DEPENDS libraries... [LABEL label] [SECONDS n] [ENVIRONMENT ...]): one GoogleTest
# program of every *.cpp in tests/<folder>; CTest runs it as one test, those that take many SECONDS first.
function(shardscope_test name folder)
  cmake_parse_arguments(T "" "LABEL;SECONDS" "DEPENDS;ENVIRONMENT" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE shardscope_flags ${T_DEPENDS} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE SHARDSCOPE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # What is tested is built as users run it; the claims themselves need not be fast, and build in half the time.
  if(SHARDSCOPE_SANITIZE)
    target_compile_options(${name} PRIVATE -O0)
  else()
    target_compile_options(${name} PRIVATE -Og -Wno-maybe-uninitialized)  # which is wrong at -Og
  endif()
  # Headers cost more than claims: with unity a folder's files are one source (each has a namespace of its own name).
  set_target_properties(${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 0)
  if(SHARDSCOPE_TESTS_NOT)
    add_test(NAME ${name} COMMAND ${name} --gtest_filter=-${SHARDSCOPE_TESTS_NOT})
  else()
    add_test(NAME ${name} COMMAND ${name})
  endif()
  if(T_LABEL)
    set_tests_properties(${name} PROPERTIES LABELS "${T_LABEL}")
  endif()
  if(T_SECONDS)
    set_tests_properties(${name} PROPERTIES COST ${T_SECONDS})
  endif()
  if(T_ENVIRONMENT)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${T_ENVIRONMENT}")
  endif()
endfunction()
