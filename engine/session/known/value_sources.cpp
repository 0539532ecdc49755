// SPDX-License-Identifier: Apache-2.0
#include "engine/session/known/value_sources.h"

#include <algorithm>

#include "engine/partition/types/leaf_shardings.h"

namespace shardscope::inline session {
namespace {

SourceBits all_of(const LeafSources& leaves) {
  SourceBits out = 0;
  for (const SourceBits bits : leaves) out |= bits;
  return out;
}

LeafSources everywhere(SourceBits bits, size_t leaves) {
  return LeafSources(leaves, bits);
}

void add(const LeafSources& more, LeafSources& into) {
  for (size_t k = 0; k < into.size() && k < more.size(); ++k) into[k] |= more[k];
}

LeafSources joined(const std::vector<LeafSources>& operands) {
  LeafSources out;
  for (const LeafSources& leaves : operands) out.insert(out.end(), leaves.begin(), leaves.end());
  return out;
}

bool calls_plainly(const Instruction& i) {
  return has(i.opcode, Trait::inlined) && !i.called.empty();
}

// What hands its operands over as they are, or works on each of them by itself: collectives, and the ends of
// asynchronous ones, whose shape may hold the operands before the results.
bool is_leaf_by_leaf(const Instruction& i) {
  return has(i.opcode, Trait::forwards) || is_collective(i.opcode) ||
         operation(i.opcode).kind == OpClass::collective_done;
}

// The leaves that a parameter has, by number.
size_t parameter_count(const Computation& c) {
  return parameters_by_number(c).size();
}

}  // namespace

SourceFollower::SourceFollower(const Program& program, const std::set<Place>& sources) : program_(program) {
  size_t next = 0;
  for (const Place& place : sources) bits_[place] = source_bit(next++);
  inside_.resize(program.computations.size());
  for (size_t c = 0; c < inside_.size(); ++c) {  // callees come first
    for (size_t k = 0; k < program.computations[c].instructions.size(); ++k) {
      const auto own = bits_.find({static_cast<int32_t>(c), static_cast<int32_t>(k)});
      if (own != bits_.end()) inside_[c] |= own->second;
      for (const CalledComputation& called : program.computations[c].instructions[k].called)
        inside_[c] |= inside_[static_cast<size_t>(called.computation.value)];
    }
  }
}

LeafSources SourceFollower::result() {
  const Computation& entry = program_.entry_computation();
  return followed(static_cast<int32_t>(program_.entry.value), Arguments(parameter_count(entry)));
}

SourceBits SourceFollower::inside(const Instruction& i) const {
  SourceBits out = 0;
  for (const CalledComputation& called : i.called)
    out |= inside_[static_cast<size_t>(called.computation.value)];
  return out;
}

LeafSources SourceFollower::followed(int32_t computation, const Arguments& arguments) {
  if (const auto known = known_.find({computation, arguments}); known != known_.end()) return known->second;
  const Computation& c = program_.computations[static_cast<size_t>(computation)];
  std::vector<LeafSources> values;
  for (size_t k = 0; k < c.instructions.size(); ++k) {
    const Instruction& i = c.instructions[k];
    LeafSources leaves = everywhere(0, leaf_count(i.shape));
    const auto number = static_cast<size_t>(i.parameter_number);
    if (i.opcode != Opcode::parameter)
      leaves = made(computation, i, {computation, static_cast<int32_t>(k)}, values);
    else if (number < arguments.size())
      add(arguments[number], leaves);
    values.push_back(std::move(leaves));
  }
  LeafSources out = values[static_cast<size_t>(c.root.value)];
  if (computation == static_cast<int32_t>(program_.entry.value)) {
    of_entry_.clear();
    for (const LeafSources& leaves : values) of_entry_.push_back(all_of(leaves));
  }
  return known_[{computation, arguments}] = std::move(out);
}

LeafSources SourceFollower::made(int32_t computation, const Instruction& i, Place place,
                                 const std::vector<LeafSources>& values) {
  const size_t leaves = leaf_count(i.shape);
  Arguments operands;
  for (const InstructionId operand : i.operands)
    operands.push_back(values[static_cast<size_t>(operand.value)]);
  const LeafSources read = joined(operands);
  if (const auto own = bits_.find(place); own != bits_.end())
    return everywhere(own->second | all_of(read), leaves);
  switch (i.opcode) {
    case Opcode::while_:
      return loop(i, place, operands.empty() ? LeafSources() : operands.front());
    case Opcode::conditional:
      return branches(i, operands);
    case Opcode::get_dimension_size:
      return everywhere(0, leaves);
    default:
      break;
  }
  if (calls_plainly(i)) return followed(static_cast<int32_t>(i.called.front().computation.value), operands);
  if (i.tuple_index >= 0 && !operands.empty()) {
    const Shape& tuple = program_.computations[static_cast<size_t>(computation)].at(i.operands[0]).shape;
    size_t first = 0;
    for (int64_t e = 0; e < i.tuple_index && e < static_cast<int64_t>(tuple.elements.size()); ++e)
      first += leaf_count(tuple.elements[static_cast<size_t>(e)]);
    LeafSources out = everywhere(0, leaves);
    for (size_t k = 0; k < leaves && first + k < read.size(); ++k) out[k] = read[first + k];
    return out;
  }
  if (is_leaf_by_leaf(i) && i.called.size() <= 1 && inside(i) == 0) {
    LeafSources out = everywhere(0, leaves);
    const bool starts = leaves == 2 * read.size(), ends = read.size() == 2 * leaves;
    if (leaves == read.size() || starts || ends) {
      for (size_t k = 0; k < leaves; ++k) out[k] = read[ends ? leaves + k : k % read.size()];
      return out;
    }
  }
  return everywhere(all_of(read) | inside(i), leaves);
}

// The state gathers sources round by round, until nothing is added.
LeafSources SourceFollower::loop(const Instruction& i, Place place, LeafSources state) {
  state.resize(leaf_count(i.shape));
  for (;;) {
    LeafSources next = state;
    SourceBits end = 0;
    for (const CalledComputation& called : i.called) {
      const LeafSources out = followed(static_cast<int32_t>(called.computation.value), {state});
      if (called.key == "condition")
        end = all_of(out);
      else
        add(out, next);
    }
    if (end != 0) undecided_.insert(place);
    for (SourceBits& bits : next) bits |= end;
    if (next == state) return state;
    state = std::move(next);
  }
}

LeafSources SourceFollower::branches(const Instruction& i, const Arguments& operands) {
  LeafSources out = everywhere(operands.empty() ? 0 : all_of(operands.front()), leaf_count(i.shape));
  for (size_t b = 0; b < i.called.size(); ++b) {
    Arguments given;
    if (b + 1 < operands.size()) given.push_back(operands[b + 1]);
    add(followed(static_cast<int32_t>(i.called[b].computation.value), given), out);
  }
  return out;
}

}  // namespace shardscope::inline session
