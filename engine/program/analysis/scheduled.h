// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// Whether a compiler has said in which order it runs, and made the copies that it needs.
bool is_scheduled(const Program& program);

}  // namespace shardscope::inline program
