// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "engine/backend/loop_rewrite.h"

namespace shardscope::inline backend {

// Each while of what is executed, those that were there, wherever it stands by then. Told to stop: no more.
void each_while(const Program& program, const std::stop_token& stop,
                const std::function<void(size_t caller, size_t place)>& visit);
// One loop after the other, those that were there; `change` writes one anew and says so, or leaves it. Told
// to stop: what was made so far.
using LoopChange = std::function<void(Program&, const LoopInHand&, FreshNames&, PassEffect&)>;
PassEffect each_loop(Program& program, const std::stop_token& stop, const LoopChange& change);

Computation& body_of(Program& program, const ElementLoop& loop);
// These, element by element; they outlive it.
Elements elements_of(const std::vector<InstructionId>& ids);
InstructionId parameter_of(const ComputationRewrite& to, const Computation& body);
// The shape of a tuple of these.
Shape tuple_shape(const ComputationRewrite& to, const std::vector<InstructionId>& elements);
// A tuple of these as the root, called as the old one.
InstructionId new_root(const Computation& body, std::vector<InstructionId> elements, ComputationRewrite& to);

// What stands around a loop, written anew: instructions in front of it, then what the pass writes, then a
// tuple that stands for the loop's result.
class AroundLoop {
 public:
  AroundLoop(const Computation& caller, const ElementLoop& loop, FreshNames& fresh);

  const Instruction& old() const { return caller_.instructions[loop_.place]; }
  ComputationRewrite& to() { return to_; }
  // The state in front of it, element by element.
  const std::vector<InstructionId>& before() const { return before_; }
  // The loop from this state on, and the state behind it; `rounds` where they are known.
  std::vector<InstructionId> run(std::vector<InstructionId> state, std::optional<int64_t> rounds);
  // What reads the old loop reads the first of these.
  Computation finish(std::vector<InstructionId> result) &&;

 private:
  const Computation& caller_;
  const ElementLoop& loop_;
  FreshNames& fresh_;
  ComputationRewrite to_;
  std::vector<InstructionId> before_;
};

}  // namespace shardscope::inline backend
