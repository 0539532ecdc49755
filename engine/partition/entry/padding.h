// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/partition/types/module_names.h"

namespace shardscope::inline partitioner {

// A sentence for every array of a module with shardings whose dimensions they do not divide: "x f32[10,32]:
// dimension 0, 10 over 4 become 12". Of many alike the first, and how many more there are. `names`: of
// `source`.
std::vector<std::string> padding_sentences(const Program& source, const ModuleNames& names);

}  // namespace shardscope::inline partitioner
