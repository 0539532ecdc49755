// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/product_steps.h"

#include <algorithm>

namespace shardscope::inline sharding {

SplitProduct local_product(const AxisParts& m, const AxisParts& k, const AxisParts& n) {
  AxisParts sums = k;
  std::ranges::sort(sums);
  return {{{m, k}, {}}, {{k, n}, {}}, {{m, n}, joined(sums)}};
}

}  // namespace shardscope::inline sharding
