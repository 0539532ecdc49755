// SPDX-License-Identifier: Apache-2.0
// CHECK(condition, values...): a promise of ours, tested in every build and unreachable from input. Prints
// the place, the condition and the values, and aborts.
#pragma once

#include <sstream>
#include <string>

namespace shardscope {

[[noreturn]] void check_failed(const char* file, int line, const char* condition, const std::string& values);

template <class... Values>
std::string check_values(const Values&... values) {
  std::ostringstream out;
  ((out << ' ' << values), ...);
  return out.str();
}

}  // namespace shardscope

#define CHECK(condition, ...)                                                                              \
  do {                                                                                                     \
    if (!(condition)) [[unlikely]]                                                                         \
      ::shardscope::check_failed(__FILE__, __LINE__, #condition, ::shardscope::check_values(__VA_ARGS__)); \
  } while (false)
