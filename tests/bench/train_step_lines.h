// SPDX-License-Identifier: Apache-2.0
// What both forms of a train step are written with.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace shardscope::train_step {

using Dims = std::vector<int64_t>;

inline std::string shape(const char* type, const Dims& dims) {
  std::string sizes, order;
  for (size_t d = 0; d < dims.size(); ++d) {
    sizes += fmt::format("{}{}", d > 0 ? "," : "", dims[d]);
    order += fmt::format("{}{}", d > 0 ? "," : "", dims.size() - 1 - d);
  }
  return fmt::format("{}[{}]{}", type, sizes, dims.empty() ? "" : "{" + order + "}");
}

inline constexpr const char* kSum =
    "%sum (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
    "  ROOT %s = f32[] add(%a, %b)\n}\n\n"
    "%sum16 (a: bf16[], b: bf16[]) -> bf16[] {\n  %a.16 = bf16[] parameter(0)\n  %b.16 = bf16[] "
    "parameter(1)\n"
    "  ROOT %s.16 = bf16[] add(%a.16, %b.16)\n}\n\n"
    "%max (a: f32[], b: f32[]) -> f32[] {\n  %a.m = f32[] parameter(0)\n  %b.m = f32[] parameter(1)\n"
    "  ROOT %s.m = f32[] maximum(%a.m, %b.m)\n}\n\n";

// A value of the text: its name, type and dimensions.
struct Var {
  std::string name;
  const char* type = "bf16";
  Dims dims;
};

}  // namespace shardscope::train_step
