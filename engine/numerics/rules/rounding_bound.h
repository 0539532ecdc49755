// SPDX-License-Identifier: Apache-2.0
// By how much a program's own roundings can move what it makes.
#pragma once

#include <memory>
#include <vector>

#include "engine/numerics/rules/execution.h"

namespace shardscope::inline numerics {

// Follows an execution of an entry instruction by instruction. Each rounding to a float narrower than f32 can
// be off by half the distance of neighbours at its value; bounds go with the data that they are of, add up
// where that is added, and where a product sums many of them that know nothing of each other it is off by at
// most kDeviations of their deviations (W. Hoeffding, 1963: one in 10^13 is off by more).
class RoundingBound {
 public:
  static constexpr double kDeviations = 8;

  // Whether a program rounds at all: some array of its entry is a narrow float.
  static bool rounds(const Program& program);

  explicit RoundingBound(const Execution& run);
  RoundingBound(const RoundingBound&) = delete;
  RoundingBound& operator=(const RoundingBound&) = delete;

  // To be called after each executed instruction of the entry, before its operands go.
  Result<void> follow(Step& executed);
  // False: an operation came in that roundings cannot be followed through.
  bool known() const { return known_; }
  // Nothing was rounded on the way to the root.
  bool is_zero() const { return is_zero_of(frame_.computation.root); }
  // The program with f32 in the place of every float, and the bounds of its root, by device.
  const Program& program() const { return program_; }
  const DeviceValues& root();
  double seconds() const { return seconds_; }  // that following took

 private:
  using Rule = Result<void> (RoundingBound::*)(Step& bounds, Step& executed);
  static Rule rule_of(Opcode opcode);
  Result<void> follow_one(InstructionId id, Step& executed);
  // Rules: `bounds` is the step of the program of bounds, `executed` the real one.
  Result<void> move(Step& bounds, Step& executed);      // the same instruction on bounds
  Result<void> pass(Step& bounds, Step& executed);      // of one operand, as it is
  Result<void> add(Step& bounds, Step& executed);       // bounds of both operands add up
  Result<void> multiply(Step& bounds, Step& executed);  // a product
  Result<void> sum(Step& bounds, Step& executed);       // between devices

  bool is_zero_of(InstructionId id) const { return zero_[static_cast<size_t>(id.value)] != 0; }
  bool operands_are_zero(const Instruction& i) const;
  void give_zero(InstructionId id, const Shape& shape);
  DeviceValue zero(const Shape& shape);
  void add_rounding(Step& bounds, Step& executed);

  Program program_;
  Execution run_;
  ComputationPlan plan_;
  Frame frame_;
  std::vector<char> zero_;  // by instruction: no element is off at all
  std::map<std::vector<int64_t>, ViewPtr> zeros_;
  int64_t next_ = 0;
  double seconds_ = 0;
  bool known_ = true;
};

// Half the distance from each value to its neighbour in its own (narrow) type, added to `bound`.
void add_half_spacing(ElementType type, const std::byte* values, float* bound, int64_t count);

}  // namespace shardscope::inline numerics
