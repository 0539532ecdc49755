// SPDX-License-Identifier: Apache-2.0
#include "engine/base/machine/processor.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "engine/base/text.h"

namespace shardscope {

const std::vector<std::string>& vector_units() {
  static const std::vector<std::string> kUnits = {"avx2",        "fma",         "avx512f",     "avx512bw",
                                                  "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_tile",
                                                  "amx_bf16",    "amx_int8"};
  return kUnits;
}

Processor parse_processor(std::string_view cpuinfo) {
  Processor out;
  std::vector<std::string> flags;
  for (const std::string& line : split(cpuinfo, '\n')) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string_view key = trim(std::string_view(line).substr(0, colon));
    const std::string_view value = trim(std::string_view(line).substr(colon + 1));
    if (key == "model name" && out.model.empty()) out.model = value;
    if (key == "flags" && flags.empty()) flags = split(value, ' ');
  }
  for (const std::string& unit : vector_units())
    if (std::find(flags.begin(), flags.end(), unit) != flags.end()) out.units.push_back(unit);
  return out;
}

Processor this_processor() {
  std::ifstream file("/proc/cpuinfo");
  return parse_processor(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace shardscope
