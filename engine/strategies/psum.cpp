// SPDX-License-Identifier: Apache-2.0
#include "engine/strategies/families.h"

namespace shardscope {

std::vector<Strategy> psum_strategies() {
  return {};
}

}  // namespace shardscope
