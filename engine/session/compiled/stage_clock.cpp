// SPDX-License-Identifier: Apache-2.0
#include "engine/session/compiled/stage_clock.h"

#include <algorithm>
#include <utility>

#include "engine/backend/computation_rewrite.h"
#include "engine/backend/counted_loop.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/analysis/async_pairs.h"
#include "engine/run/instruction_cost.h"
#include "engine/session/routes/collective_times.h"

namespace shardscope::inline session {
namespace {

class ProgramClock {
 public:
  ProgramClock(const Program& program, const Hardware& hardware, std::stop_token stop)
      : program_(program),
        hardware_(hardware),
        collectives_(program.mesh, hardware),
        stop_(std::move(stop)),
        all_(program.computations.size()) {
    plain_ = program;
    for (Computation& c : plain_.computations)
      for (Instruction& i : c.instructions)
        if (is_known(collective_opcode(i))) i = plain_collective(i);
  }

  std::vector<Picoseconds> times() {
    const std::vector<bool> runs = executed_computations(program_);
    std::vector<Picoseconds> out;
    for (size_t c = 0; c < all_.size(); ++c) {
      std::vector<Picoseconds> own(program_.computations[c].instructions.size());
      if (runs[c] && !stop_.stop_requested()) own = of(c);
      for (const Picoseconds each : own) all_[c] += each;
      out.insert(out.end(), own.begin(), own.end());
    }
    return out;
  }

 private:
  std::vector<Picoseconds> of(size_t c) {
    const Computation& computation = program_.computations[c];
    std::vector<Picoseconds> out;
    for (size_t k = 0; k < computation.instructions.size(); ++k) {
      const Instruction& i = computation.instructions[k];
      const bool moves = is_collective(plain_.computations[c].instructions[k].opcode);
      const bool calls = has(i.opcode, Trait::part) && i.opcode != Opcode::fusion;
      out.push_back(moves || ends_start(i) ? 0 : calls ? called(computation, k) : work(computation, i));
    }
    add_collectives(c, out);
    return out;
  }

  Picoseconds work(const Computation& computation, const Instruction& i) const {
    static const ModuleTiming nothing_said;
    if (is_free(i)) return 0;
    const auto cost = instruction_cost({program_, computation, i, hardware_, nothing_said});
    return cost.ok() ? cost->cost.total() : 0;
  }

  Picoseconds called(const Computation& caller, size_t k) const {
    const Instruction& i = caller.instructions[k];
    Picoseconds sum = 0, longest = 0;
    for (const CalledComputation& each : i.called) {
      const Picoseconds own = all_[static_cast<size_t>(each.computation.value)];
      sum += own;
      longest = std::max(longest, own);
    }
    if (i.opcode == Opcode::conditional) return longest;
    if (i.opcode != Opcode::while_) return sum;
    const auto loop = counted_loop(program_, caller, k);
    const int64_t rounds = loop ? std::max<int64_t>(loop->rounds, 1) : 1;
    return sum > kLongestTime / rounds ? kLongestTime : sum * rounds;
  }

  void add_collectives(size_t c, std::vector<Picoseconds>& out) {
    if (std::ranges::none_of(plain_.computations[c].instructions,
                             [](const Instruction& i) { return is_collective(i.opcode); }))
      return;
    plain_.entry = ComputationId(static_cast<int64_t>(c));
    const auto steps = collectives_.of(plain_, false, stop_);
    if (!steps.ok()) return;
    size_t place = 0;
    const auto& instructions = plain_.computations[c].instructions;
    for (size_t k = 0; k < instructions.size(); ++k)
      if (is_collective(instructions[k].opcode)) out[k] = (*steps)[place++].cost.time;
  }

  const Program& program_;
  const Hardware& hardware_;
  Program plain_;  // starts are the plain operation
  CollectiveTimes collectives_;
  std::stop_token stop_;
  std::vector<Picoseconds> all_;  // by computation
};

}  // namespace

StageClock stage_clock(const Hardware& hardware, std::stop_token stop) {
  return [&hardware, stop = std::move(stop)](const Program& program) {
    return ProgramClock(program, hardware, stop).times();
  };
}

}  // namespace shardscope::inline session
