// SPDX-License-Identifier: Apache-2.0
// Doors: where work begins whose memory nobody can know beforehand (a command, a job of the window, the
// reading of a file). What the machine does not give ends there, as an outcome like any other.
#pragma once

#include <cstdint>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "engine/base/result.h"

namespace shardscope {

// Memory that could not be had, by those who know how much it was.
class MemoryRefused : public std::bad_alloc {
 public:
  explicit MemoryRefused(int64_t bytes) : bytes_(bytes) {}
  int64_t bytes() const { return bytes_; }
  const char* what() const noexcept override { return "out of memory"; }

 private:
  int64_t bytes_;
};

// What the exception in hand says, where it says that memory or a thread could not be had: a too_big error
// with what is left, or in few words when there is no memory for more. Any other is thrown on. Only in a
// catch clause.
Error refused_by_machine(const std::string& where, const std::string& fix = "");

// work(), a Result; what the machine refuses is its error.
template <class Work>
std::invoke_result_t<Work> memory_door(const std::string& where, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (...) {
    return refused_by_machine(where);
  }
}

}  // namespace shardscope
