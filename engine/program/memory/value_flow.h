// SPDX-License-Identifier: Apache-2.0
// The arrays of a program in the order in which it runs, each with the time from which to which it is needed.
// Loops stand once, condition before body: the next round's arrays take the places of this one's.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"
#include "engine/program/memory/layout_copies.h"
#include "engine/program/memory/memory_rules.h"

namespace shardscope::inline program {

// Whose memory a value's is at first.
enum class ValueHome : uint8_t { made, argument, donated, constant };

struct FlowValue {
  int32_t maker = 0;             // Program::global_index
  const Shape* shape = nullptr;  // of the program; null: a tuple's table of places
  int64_t bytes = 0;
  int32_t first = 0, last = 0;  // times: of its making and of its last reader
  ValueHome home = ValueHome::made;
  bool result = false;  // of the entry
  bool stored = true;   // false: a table, or a number that the core keeps to itself (memory_rules.h)
};

// A value that may stand in the place of another which nobody reads after `time`.
struct InPlace {
  int32_t operand = 0, made = 0, time = 0;
  bool asked = false;  // the program says so: output_to_operand_aliasing
  bool direct = true;  // the operand made it, and not what the operand is an element or a view of
};

// A carried value: before the loop, at a round's start, at its end, behind the loop. Of a conditional: what
// a branch gives, and what comes of it.
struct LoopValue {
  int32_t before = -1, entering = -1, leaving = -1, behind = -1;
  int32_t start = 0, end = 0;  // of the rounds
  bool copied = false;         // others may still read what it was when the next is made (in_place.h)
};

struct ValueFlow {
  MemoryRules rules;
  std::vector<FlowValue> values;
  std::vector<InPlace> in_place;   // by time
  std::vector<LoopValue> carried;  // by end
  std::vector<int32_t> arguments;  // leaves in order of the parameters
  std::vector<int32_t> results;    // leaves of the root in order; one can be there twice
  std::vector<int32_t> aliased;    // by result: the argument that it takes the place of; -1: none
  std::vector<int32_t> at;         // by time: Program::global_index of what runs
  bool complete = true;            // false: too long, the values up to there
};

// Called computations are walked at each call: so many instructions in all, then the rest is left out.
inline constexpr int64_t kMostMemorySteps = 400'000;

// What no compiler has scheduled runs in the order of its text, and its copies are none. Error: stopped.
Result<ValueFlow> value_flow(const Program& program, LaidOutFor chip, const std::stop_token& stop);

}  // namespace shardscope::inline program
