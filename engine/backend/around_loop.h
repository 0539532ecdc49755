// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "engine/backend/loop_rewrite.h"

namespace shardscope::inline backend {

// One loop after the other, those that were there; `change` writes one anew and says so, or leaves it. Told
// to stop: what was made so far.
using LoopChange = std::function<void(Program&, const LoopInHand&, FreshNames&, PassEffect&)>;
PassEffect each_loop(Program& program, const std::stop_token& stop, const LoopChange& change);

Computation& body_of(Program& program, const LoopInHand& loop);
// These, element by element; they outlive it.
Elements elements_of(const std::vector<InstructionId>& ids);
InstructionId parameter_of(const ComputationRewrite& to, const Computation& body);
// A tuple of these as the root, called as the old one.
InstructionId new_root(const Computation& body, std::vector<InstructionId> elements, ComputationRewrite& to);

// What stands around a loop, written anew: instructions in front of it, then what the pass writes, then a
// tuple that stands for the loop's result.
class AroundLoop {
 public:
  AroundLoop(const Computation& caller, const LoopInHand& loop, FreshNames& fresh);

  const Instruction& old() const { return caller_.instructions[loop_.place]; }
  ComputationRewrite& to() { return to_; }
  // The state in front of it, element by element.
  const std::vector<InstructionId>& before() const { return before_; }
  // The loop from this state on, and the state behind it.
  std::vector<InstructionId> run(std::vector<InstructionId> state, int64_t rounds);
  // What reads the old loop reads the first of these.
  Computation finish(std::vector<InstructionId> result) &&;

 private:
  const Computation& caller_;
  const LoopInHand& loop_;
  FreshNames& fresh_;
  ComputationRewrite to_;
  std::vector<InstructionId> before_;
};

}  // namespace shardscope::inline backend
