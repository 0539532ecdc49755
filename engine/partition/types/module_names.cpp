// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/types/module_names.h"

namespace shardscope::inline partitioner {

std::string ModuleNames::plain(const Instruction& prepared) const {
  const std::string& name = written_name(renamed_, prepared.name);
  const auto sources = sources_in(first_stage(before_), before_, name);
  return sources.empty() ? name : sources.front();
}

std::string ModuleNames::display_name(const Instruction& prepared) const {
  return shardscope::display_name(before_, written_name(renamed_, prepared.name));
}

}  // namespace shardscope::inline partitioner
