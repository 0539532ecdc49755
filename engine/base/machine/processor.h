// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

// What /proc/cpuinfo says of the processor that products run on.
struct Processor {
  std::string model;
  std::vector<std::string> units;  // that are there, of vector_units(), in its order
  bool operator==(const Processor&) const = default;
};

// The units that products of f32, bf16 and s8 can use, by the kernel's names: "avx2", …, "amx_bf16".
const std::vector<std::string>& vector_units();
Processor parse_processor(std::string_view cpuinfo);
Processor this_processor();

}  // namespace shardscope
