// SPDX-License-Identifier: Apache-2.0
// Which arguments' memory a module's results may take: input_output_alias and buffer_donor.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope {

// A leaf of the parameters or of the result by what leads there: {1, 0}.
using LeafPath = std::vector<int64_t>;

struct DonatedLeaf {
  int64_t parameter = 0;
  LeafPath path;
  bool whole = false;  // any result may take it; else `result`
  LeafPath result;
};

std::vector<DonatedLeaf> donated_leaves(const Program& program);

}  // namespace shardscope
