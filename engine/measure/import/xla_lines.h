// SPDX-License-Identifier: Apache-2.0
// What XLA's profiler calls devices and their lines, in xplane.pb as in Chrome's format.
#pragma once

#include <string_view>

namespace shardscope {

inline bool is_device_plane(std::string_view name) {
  return name.starts_with("/device:GPU:") || name.starts_with("/device:TPU:");
}

enum class XlaLine {
  operations,    // what ran: "XLA Ops", "Stream #14(Kernel)"
  asynchronous,  // "Async XLA Ops": whole pairs of -start and -done
  steps,
  derived  // the same time under other names: modules, scopes, sources
};

// GPU planes repeat their streams' time by module, by scope and by instruction.
inline XlaLine line_kind(std::string_view name) {
  if (name == "Steps") return XlaLine::steps;
  if (name == "XLA Ops" || name == "Sparse Core Ops" || name.starts_with("Stream #"))
    return XlaLine::operations;
  if (name == "Async XLA Ops") return XlaLine::asynchronous;
  return XlaLine::derived;
}

inline bool nests(std::string_view line) {
  return line == "XLA Ops" || line == "Sparse Core Ops";
}

}  // namespace shardscope
