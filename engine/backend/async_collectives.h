// SPDX-License-Identifier: Apache-2.0
// Collectives that are started and waited for by two instructions, as XLA's AsyncCollectiveCreator and
// ConvertAsyncCollectivesToSync write them.
#pragma once

#include "engine/backend/computation_rewrite.h"
#include "engine/backend/pass.h"

namespace shardscope::inline backend {

// Whether XLA's GPU backend may start it and wait for it later: all-gather, all-reduce, reduce-scatter,
// all-to-all, collective-permute and collective-broadcast of arrays.
bool can_be_asynchronous(const Instruction& instruction);

// Each of `which` as a start and, right behind it, its end: ((operands), result) all-gather-start(operands),
// result all-gather-done. Links: both are there for the collective.
PassLinks start_collectives(Computation& computation, FreshNames& fresh,
                            const std::function<bool(const Instruction&)>& which);
// Pairs between which nothing is done become the plain operation again, called as it was. Links: it is there
// for both.
PassLinks join_idle_pairs(Computation& computation, FreshNames& fresh);

// What a start is called of what it starts, and the other way round: "all-gather-start.3", "all-gather.3".
std::string start_name(const Instruction& collective);
std::string plain_name(const Instruction& start);

}  // namespace shardscope::inline backend
