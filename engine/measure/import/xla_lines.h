// SPDX-License-Identifier: Apache-2.0
// What XLA's profiler calls devices and their lines, in xplane.pb as in Chrome's format.
#pragma once

#include <string_view>

namespace shardscope::inline measure {

inline bool is_tpu_plane(std::string_view name) {
  return name.starts_with("/device:TPU:");
}
inline bool is_device_plane(std::string_view name) {
  return name.starts_with("/device:GPU:") || is_tpu_plane(name);
}

enum class XlaLine {
  operations,    // what ran: "XLA Ops" of a TPU, "Stream #14(Kernel)" of a GPU
  asynchronous,  // "Async XLA Ops": whole pairs of -start and -done
  steps,
  derived  // the same time under other names: modules, scopes, sources; on a GPU also "XLA Ops"
};

inline bool is_stream(std::string_view line) {
  return line.starts_with("Stream #");
}

inline XlaLine line_kind(std::string_view plane, std::string_view line) {
  if (line == "Steps") return XlaLine::steps;
  if (is_stream(line)) return XlaLine::operations;
  if (!is_tpu_plane(plane)) return XlaLine::derived;
  if (line == "XLA Ops" || line == "Sparse Core Ops") return XlaLine::operations;
  return line == "Async XLA Ops" ? XlaLine::asynchronous : XlaLine::derived;
}

// Where XLA runs on the host, all threads are one lane.
inline constexpr std::string_view kHostLane = "XLA on the host";

// A core's line: loops lie round their bodies.
inline bool nests(std::string_view line) {
  return line == "XLA Ops" || line == "Sparse Core Ops";
}

}  // namespace shardscope::inline measure
