// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/plan/collective_fusions.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/backend/computation_rewrite.h"
#include "engine/program/analysis/async_pairs.h"
#include "engine/program/analysis/tuple_elements.h"
#include "engine/program/ir/custom_target.h"

namespace shardscope::inline numerics {
namespace {

// The only collective of a computation; null: it has none, or several.
const Instruction* only_collective(const Computation& c) {
  const Instruction* found = nullptr;
  for (const Instruction& i : c.instructions) {
    if (!is_collective(i.opcode)) continue;
    if (found != nullptr) return nullptr;
    found = &i;
  }
  return found;
}

bool has_collective(const Computation& c) {
  return std::ranges::any_of(c.instructions, [](const Instruction& i) { return is_collective(i.opcode); });
}

const Computation* called_by(const Program& program, const Instruction& i) {
  if (i.opcode != Opcode::fusion || i.called.empty()) return nullptr;
  const Computation& called = program.computation(i.called.front().computation);
  return has_collective(called) ? &called : nullptr;
}

int64_t channel_of(const Instruction& collective) {
  return collective.channel_id.value_or(-1);
}

// The number of the parameter that an instruction is; none: it is another one.
std::optional<size_t> parameter_of(const Computation& c, InstructionId id) {
  const Instruction& i = c.at(id);
  if (i.opcode != Opcode::parameter) return std::nullopt;
  return static_cast<size_t>(i.parameter_number);
}

// Along which dimension a fusion keeps a part of the all-reduce of its operand; none: it is not that.
std::optional<int64_t> scattered_dimension(const Computation& c) {
  const Instruction& root = c.root_instruction();
  const Instruction* sum = only_collective(c);
  if (sum == nullptr || sum->opcode != Opcode::all_reduce || sum->operands.size() != 1 ||
      root.opcode != Opcode::dynamic_slice || &c.at(root.operands[0]) != sum ||
      !parameter_of(c, sum->operands[0]) || sum->shape.is_tuple)
    return std::nullopt;
  std::optional<int64_t> out;
  for (size_t d = 0; d < root.shape.rank(); ++d) {
    if (root.shape.dims[d] == sum->shape.dims[d]) continue;
    if (out) return std::nullopt;
    out = static_cast<int64_t>(d);
  }
  return out;
}

class Outside {
 public:
  Outside(const Program& program, const Computation& from) : program_(program), from_(from), rewrite_(from) {
    for (const Instruction& i : from.instructions) names_.insert(i.name);
  }

  Computation written() {
    for (size_t k = 0; k < from_.instructions.size(); ++k)
      rewrite_.stand_for(k, write(from_.instructions[k]));
    return std::move(rewrite_).finish();
  }

 private:
  std::string name_like(const std::string& name) {
    if (names_.insert(name).second) return name;
    int part = 1;
    while (!names_.insert(name + ".outside" + std::to_string(part)).second) ++part;
    return name + ".outside" + std::to_string(part);
  }

  InstructionId write(const Instruction& old) {
    Instruction i = rewrite_.reading_new(old);
    if (old.opcode == Opcode::get_tuple_element && started_.contains(old.operands[0].value))
      return memory_for(old);
    const Computation* called = called_by(program_, old);
    if (called == nullptr) return rewrite_.add(std::move(i));
    const CustomTarget root = custom_target(called->root_instruction());
    if (root == CustomTarget::async_start) return start(old, *called);
    if (root == CustomTarget::async_done) return end(old, *called);
    if (is_under_way(*called)) return rewrite_.add(std::move(i));  // goes on beside what the fusion computes
    if (const auto dimension = scattered_dimension(*called))
      return reduce_scatter(old, *called, *dimension, std::move(i));
    return written_out(std::move(i), *called);
  }

  // What is carried from a start to its end has room, and nobody waits for it.
  InstructionId memory_for(const Instruction& old) {
    Instruction made;
    made.name = old.name;
    made.opcode = Opcode::custom_call;
    made.shape = old.shape;
    made.attributes = CustomCall{"AllocateBuffer"};
    return rewrite_.add(std::move(made));
  }

  InstructionId start(const Instruction& old, const Computation& called) {
    const Instruction* collective = only_collective(called);
    const auto operand = collective != nullptr && collective->operands.size() == 1
                             ? parameter_of(called, collective->operands[0])
                             : std::nullopt;
    if (!operand || *operand >= old.operands.size()) return rewrite_.add(rewrite_.reading_new(old));
    Instruction made = *collective;
    made.name = old.name;
    made.operands = {rewrite_.at(old.operands[*operand])};
    made.control_predecessors = {};
    made.shape = Shape::tuple({rewrite_.made(made.operands[0]).shape, collective->shape});
    const std::string word = std::string(opcode_text(collective->opcode)) + "-start";
    made.opcode = parse_opcode(word);
    if (made.opcode == Opcode::all_reduce_start) made.shape = collective->shape;
    if (!is_known(made.opcode)) made.opcode_name = word;
    started_.insert(id_of(old));
    const InstructionId id = rewrite_.add(std::move(made));
    open_[id_of(old)] = {id, std::string(opcode_text(collective->opcode)) + "-done", channel_of(*collective)};
    return id;
  }

  InstructionId end(const Instruction& old, const Computation& called) {
    const auto open = started_for(old, called);
    if (open == open_.end()) return rewrite_.add(rewrite_.reading_new(old));
    const Open ended = open->second;
    open_.erase(open);
    Instruction made;
    made.name = old.name;
    made.shape = old.shape;
    made.provenance = old.provenance;
    made.opcode = parse_opcode(ended.done);
    if (!is_known(made.opcode)) made.opcode_name = ended.done;
    made.operands = {ended.start};
    return rewrite_.add(std::move(made));
  }

  struct Open {
    InstructionId start;
    std::string done;
    int64_t channel = -1;
  };
  using OpenOnes = std::map<int64_t, Open>;  // by start, an instruction of from_

  // What an end reads of says its start, else the channel.
  OpenOnes::const_iterator started_for(const Instruction& end, const Computation& called) const {
    for (const InstructionId operand : end.operands) {
      const auto found = open_.find(behind_elements(from_, operand).value);
      if (found != open_.end()) return found;
    }
    return on_channel_of(called);
  }

  OpenOnes::const_iterator on_channel_of(const Computation& called) const {
    const Instruction* collective = only_collective(called);
    if (collective == nullptr) return open_.end();
    return std::ranges::find_if(
        open_, [&](const auto& each) { return each.second.channel == channel_of(*collective); });
  }

  bool is_under_way(const Computation& called) const { return on_channel_of(called) != open_.end(); }

  InstructionId reduce_scatter(const Instruction& old, const Computation& called, int64_t dimension,
                               Instruction fusion) {
    const Instruction& sum = *only_collective(called);
    Instruction made = sum;
    made.name = old.name;
    made.opcode = Opcode::reduce_scatter;
    made.shape = old.shape;
    made.dimensions = {dimension};
    made.operands = {fusion.operands[*parameter_of(called, sum.operands[0])]};
    made.control_predecessors = fusion.control_predecessors;
    if (made.provenance->op_name.empty()) made.provenance = old.provenance;
    return rewrite_.add(std::move(made));
  }

  InstructionId written_out(Instruction fusion, const Computation& called) {
    std::vector<InstructionId> here;
    for (const Instruction& inner : called.instructions) {
      if (inner.parameter_number >= 0) {
        here.push_back(fusion.operands[static_cast<size_t>(inner.parameter_number)]);
        continue;
      }
      Instruction i = inner;
      for (InstructionId& operand : i.operands) operand = here[static_cast<size_t>(operand.value)];
      i.control_predecessors = {};
      const bool root = &inner == &called.root_instruction();
      i.name = root ? fusion.name : name_like(inner.name);
      here.push_back(rewrite_.add(std::move(i)));
    }
    return here[static_cast<size_t>(called.root.value)];
  }

  int64_t id_of(const Instruction& old) const { return &old - from_.instructions.data(); }

  const Program& program_;
  const Computation& from_;
  ComputationRewrite rewrite_;
  std::set<std::string> names_;
  std::set<int64_t> started_;  // instructions of from_
  OpenOnes open_;
};

// In a fusion that a collective goes on beside it is the memory that it fills.
void leave_out_collective(Computation& c) {
  const Instruction* collective = only_collective(c);
  if (collective == nullptr) return;
  const auto room = std::ranges::find_if(c.instructions, [&](const Instruction& i) {
    return i.parameter_number >= 0 && i.shape.type == collective->shape.type &&
           i.shape.dims == collective->shape.dims;
  });
  if (room == c.instructions.end()) return;
  const InstructionId memory(room - c.instructions.begin());
  const auto gone = InstructionId(collective - c.instructions.data());
  for (Instruction& i : c.instructions)
    for (InstructionId& operand : i.operands)
      if (operand == gone) operand = memory;
  Instruction& i = c.instructions[static_cast<size_t>(gone.value)];
  Instruction free;
  free.name = i.name;
  free.opcode = Opcode::bitcast;
  free.shape = i.shape;
  free.operands = {memory};
  // Operands stand before what reads them.
  if (memory.value < gone.value) i = std::move(free);
}

}  // namespace

std::optional<Program> without_collective_fusions(const Program& program) {
  const auto needs = [&](const Computation& c) {
    return std::ranges::any_of(c.instructions,
                               [&](const Instruction& i) { return called_by(program, i) != nullptr; });
  };
  if (std::ranges::none_of(program.computations, needs)) return std::nullopt;
  Program out = program;
  std::set<int64_t> fused;
  for (size_t k = 0; k < program.computations.size(); ++k) {
    if (!needs(program.computations[k])) continue;
    out.computations[k] = Outside(program, program.computations[k]).written();
    for (const Instruction& i : out.computations[k].instructions)
      if (called_by(program, i) != nullptr) fused.insert(i.called.front().computation.value);
  }
  for (const int64_t c : fused) leave_out_collective(out.computations[static_cast<size_t>(c)]);
  return out;
}

}  // namespace shardscope::inline numerics
