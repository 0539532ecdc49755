// SPDX-License-Identifier: Apache-2.0
#include "engine/program/analysis/talks.h"

#include <algorithm>
#include <set>

namespace shardscope::inline program {
namespace {

bool talks(const Program& program, const Computation& computation, std::set<int64_t>& seen) {
  return std::ranges::any_of(computation.instructions, [&](const Instruction& i) {
    if (is_collective(i.opcode)) return true;
    return std::ranges::any_of(*i.called, [&](const CalledComputation& called) {
      const bool runs = called.key != "to_apply" || has(i.opcode, Trait::part);
      return runs && seen.insert(called.computation.value).second &&
             talks(program, program.computation(called.computation), seen);
    });
  });
}

}  // namespace

bool talks(const Program& program, const Computation& computation) {
  std::set<int64_t> seen;
  return talks(program, computation, seen);
}

}  // namespace shardscope::inline program
