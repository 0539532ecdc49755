// SPDX-License-Identifier: Apache-2.0
// What a Program knows beyond HLO (mesh, global arrays, choices) as text in frontend_attributes of its
// module.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/program/ir/program.h"
#include "engine/program/text/hlo_entries.h"

namespace shardscope::inline program {

// "lhs transposed [16,8] P('row',None) unreduced=col".
std::string array_info_text(const ArrayInfo& info);
Result<ArrayInfo> parse_array_info(std::string_view text);

// shardscope.mesh, .wrap (axes that wrap; absent: all), .device_order, .inputs, .output, .further_outputs,
// .definitions, .choice.NAME.
std::vector<HloEntry> module_entries(const Program& program);

// Collects the entries of module_entries again; `finish` puts them into a program.
class ModuleEntries {
 public:
  Result<bool> take(std::string_view key, const std::string& value);
  // `partitions`: num_partitions of the module, 0 when absent. A foreign module gets one axis called
  // "device".
  Result<void> finish(int64_t partitions, Program& program) &&;

 private:
  std::optional<std::string> mesh_, wrap_, device_order_;
  std::vector<ArrayInfo> inputs_;
  std::optional<ArrayInfo> output_;
  std::vector<ArrayInfo> further_outputs_;
  std::vector<std::string> definitions_;
  std::vector<std::pair<std::string, std::string>> choices_;
};

}  // namespace shardscope::inline program
