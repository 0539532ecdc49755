// SPDX-License-Identifier: Apache-2.0
// One computation of the module, walked forward and then backward. Forward it is copied; backward each
// instruction turns the cotangents of its results ("bars") into those of its operands, by its rule.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/grad/activity.h"
#include "engine/grad/grad.h"
#include "engine/grad/page.h"

namespace shardscope::inline grad {

// What both directions of a loop know of it, see loops.h.
struct LoopPages;

class GradSweep {
 public:
  struct Pages {
    GradPage& ahead;
    GradPage& back;
    // The value of `ahead`'s instruction on page `back`; on one page it is itself.
    std::function<InstructionId(InstructionId)> saved;
    // Elements of the parameter that page `back` has without their being saved.
    std::function<bool(int64_t element)> is_known = {};
    std::function<InstructionId(int64_t element)> known = {};
  };
  // `active`: what has a cotangent, by instruction.
  GradSweep(const Computation& from, std::vector<LeafFlags> active, Pages pages, Remat remat);

  // The parameters' values on page `ahead`, by number; then all of the computation.
  Result<void> forward(const std::vector<InstructionId>& parameters, const std::stop_token& stop = {});
  // From what give() was told to the parameters' cotangents.
  Result<void> backward(const std::stop_token& stop = {});

  const Computation& from() const { return from_; }
  GradPage& ahead() const { return pages_.ahead; }
  GradPage& back() const { return pages_.back; }
  Remat remat() const { return remat_; }
  const Program& program() const { return pages_.back.module().from(); }

  InstructionId ahead_of(InstructionId id) const { return forward_[static_cast<size_t>(id.value)]; }
  // Its value on page `back`: saved, or computed again.
  InstructionId primal(InstructionId id);
  InstructionId saved(InstructionId on_ahead) const { return pages_.saved(on_ahead); }

  bool is_active(InstructionId id, size_t leaf = 0) const {
    return active_[static_cast<size_t>(id.value)][leaf];
  }
  const LeafFlags& active(InstructionId id) const { return active_[static_cast<size_t>(id.value)]; }
  // The cotangent so far; invalid: zeros.
  InstructionId bar(InstructionId id, size_t leaf = 0) const {
    return bars_[static_cast<size_t>(id.value)][leaf];
  }
  // Adds to it.
  void give(InstructionId id, size_t leaf, InstructionId bar);
  void put(InstructionId id, InstructionId bar) { bars_[static_cast<size_t>(id.value)][0] = bar; }
  // The cotangent of each active array in turn, zeros written out.
  std::vector<InstructionId> active_bars(InstructionId id);

  std::map<int64_t, std::shared_ptr<LoopPages>>& loops() { return loops_; }

 private:
  void note_cheap();
  bool is_parameter(InstructionId id) const { return from_.at(id).opcode == Opcode::parameter; }
  bool is_known(size_t element) const;  // of the parameter
  bool reads_operands(const Instruction& instruction, InstructionId id) const;
  InstructionId remade(InstructionId id);
  bool one_page() const { return &pages_.ahead == &pages_.back; }

  const Computation& from_;
  std::vector<LeafFlags> active_;
  Pages pages_;
  Remat remat_;
  std::vector<InstructionId> forward_, replay_;  // by instruction
  std::vector<bool> cheap_;                      // by instruction: made of constants and of what is known
  std::vector<std::vector<InstructionId>> bars_;
  std::map<int64_t, std::shared_ptr<LoopPages>> loops_;  // by instruction
};

}  // namespace shardscope::inline grad
