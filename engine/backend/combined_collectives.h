// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stop_token>

#include "engine/backend/scattered_sums.h"

namespace shardscope::inline backend {

struct CombineOptions {
  Opcode opcode{};
  int64_t most = 0;  // bytes of results together
  std::stop_token stop{};
};
// Collectives of that operation that go the same way and do not wait for each other become one of several
// arrays. Names of what was made, with what it stands for; told to stop, of what was made so far.
PassLinks combine_collectives(const Program& program, Computation& computation, const CombineOptions& how);

}  // namespace shardscope::inline backend
