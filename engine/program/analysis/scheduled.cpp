// SPDX-License-Identifier: Apache-2.0
#include "engine/program/analysis/scheduled.h"

#include <algorithm>

namespace shardscope::inline program {

bool is_scheduled(const Program& program) {
  return std::ranges::any_of(program.verbatim, [](const VerbatimAttribute& a) {
    return a.key == "is_scheduled" && a.value == "true";
  });
}

}  // namespace shardscope::inline program
