// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/types/spmd_prepare.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "engine/base/machine/memory_limit.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/partition/types/sdy_regions.h"
#include "engine/program/ir/bitcast_moves.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/mlir/module_shardings.h"
#include "engine/sharding/sharding_text.h"

namespace shardscope::inline partitioner {
namespace {

bool is_annotation(const Instruction& i) {
  if (i.operands.size() != 1) return false;
  const std::string& target = custom_call_target(i);
  return target == "Sharding" || target == kFuncResultSharding || target == kPropagationBarrier;
}

bool calls(const Instruction& i, const char* target) {
  return i.operands.size() == 1 && custom_call_target(i) == target;
}

// What `from` says of its sharding, in XLA's words and in Shardy's.
void take_sharding(const Instruction& from, Instruction& to) {
  to.sharding = from.sharding;
  if (const std::string* text = verbatim_attribute(from, "sharding"))
    to.verbatim.edit().push_back({"sharding", *text});
  if (const auto words = frontend_attribute(from.verbatim, kSdySharding))
    to.verbatim = with_frontend_attribute(to.verbatim, kSdySharding, *words);
}

bool same_sharding(const Instruction& a, const Instruction& b) {
  const auto of_a = leaf_shardings(a), of_b = leaf_shardings(b);
  return of_a.ok() && of_b.ok() && *of_a == *of_b;
}

bool is_plain_product(const Instruction& i, const Shape& lhs, const Shape& rhs) {
  return i.opcode == Opcode::dot && lhs.rank() == 2 && rhs.rank() == 2 && i.dot->lhs_batch.empty() &&
         i.dot->lhs_contracting == std::vector<int64_t>{1} &&
         i.dot->rhs_contracting == std::vector<int64_t>{0};
}

bool is_inlined(const Instruction& i) {
  return has(i.opcode, Trait::inlined) && !i.called.empty();
}

// Whether writing out calls and moves leaves a computation as it is.
bool is_flat(const Computation& c) {
  return std::ranges::none_of(
      c.instructions, [](const Instruction& i) { return is_inlined(i) || i.opcode == Opcode::bitcast; });
}

// Writes out the calls in computations.
class Inliner {
 public:
  Inliner(Program& module, RenamedInstructions& renamed)
      : module_(module),
        renamed_(renamed),
        kept_(module.computations.size()),
        inlined_(module.computations.size()),
        length_(module.computations.size()) {
    kept_[static_cast<size_t>(module_.entry.value)] = true;
    for (size_t k = kept_.size(); k-- > 0;) {  // callees stand before callers
      if (!kept_[k] && !inlined_[k]) continue;
      for (const Instruction& i : module_.computations[k].instructions)
        for (const CalledComputation& c : i.called)
          (is_inlined(i) ? inlined_ : kept_)[static_cast<size_t>(c.computation.value)] = true;
    }
    for (size_t k = 0; k < length_.size(); ++k)
      for (const Instruction& i : module_.computations[k].instructions)
        length_[k] +=
            1 + (is_inlined(i) ? length_[static_cast<size_t>(i.called.front().computation.value)] : 0);
  }

  // Whether a computation stands for itself: the entry, and what others call in another way than a call.
  bool keeps(size_t computation) const { return kept_[computation]; }

  // How many instructions flat() writes of all that are kept, before any is written.
  double length() const {
    double all = 0;
    for (size_t k = 0; k < length_.size(); ++k)
      if (kept_[k]) all += length_[k];
    return all;
  }

  // Of a computation of the module, which may be taken from there.
  Computation flat(size_t computation) {
    Computation& from = module_.computations[computation];
    Computation out;
    if (!inlined_[computation] && is_flat(from)) {
      out = std::move(from);
      out.verbatim.clear();
      return out;
    }
    out.name = from.name;
    out.instructions.reserve(static_cast<size_t>(length_[computation]));
    names_.clear();
    numbers_.clear();
    std::vector<InstructionId> root = copy(from, {}, nullptr, out);
    out.root = root.front();
    return out;
  }

 private:
  // The instructions of `from`, its parameters standing for `arguments` (none: kept). Returns its root.
  std::vector<InstructionId> copy(const Computation& from, const std::vector<InstructionId>& arguments,
                                  const Instruction* call, Computation& out) {
    std::vector<InstructionId> to(from.instructions.size());
    for (size_t k = 0; k < from.instructions.size(); ++k) {
      Instruction i = from.instructions[k];
      if (i.parameter_number >= 0 && call != nullptr) {
        to[k] = arguments[static_cast<size_t>(i.parameter_number)];
        continue;
      }
      for (InstructionId& operand : i.operands) operand = to[static_cast<size_t>(operand.value)];
      if (is_inlined(i)) {
        const std::vector<InstructionId> operands = i.operands;
        to[k] = copy(module_.computation(i.called.front().computation), operands, &i, out).front();
        if (has_sharding(i) && !has_sharding(out.at(to[k]))) {
          out.instructions[static_cast<size_t>(to[k].value)].sharding = i.sharding;
        }
        continue;
      }
      // What a call says about its place is said of what it stands for.
      if (call != nullptr && i.provenance->op_name.empty() && verbatim_attribute(i, "metadata") == nullptr) {
        i.provenance.edit().op_name = call->provenance->op_name;
        if (const std::string* metadata = verbatim_attribute(*call, "metadata"))
          i.verbatim.edit().push_back({"metadata", *metadata});
      }
      if (i.opcode == Opcode::bitcast)
        if (const auto moves = bitcast_moves(from.at(from.instructions[k].operands[0]).shape, i.shape)) {
          to[k] = put_moves(*moves, i, out);
          continue;
        }
      to[k] = put(std::move(i), out);
    }
    return {to[static_cast<size_t>(from.root.value)]};
  }

  InstructionId put(Instruction i, Computation& out) {
    const std::string written = i.name;
    give_name(i);
    const auto known = renamed_.find(written);
    if (i.name != written) renamed_[i.name] = known == renamed_.end() ? written : known->second;
    out.instructions.push_back(std::move(i));
    return InstructionId(static_cast<int64_t>(out.instructions.size()) - 1);
  }

  // What a bitcast between layouts does to the elements; the last of it has its name.
  InstructionId put_moves(const BitcastMoves& moves, const Instruction& bitcast, Computation& out) {
    InstructionId at = bitcast.operands[0];
    const auto add = [&](Opcode opcode, const Shape& shape, const std::vector<int64_t>& dims, bool last) {
      Instruction made = bitcast;
      made.opcode = opcode;
      made.shape = shape;
      made.operands = {at};
      made.dimensions = dims;
      if (!last) {
        put_shardings({HloSharding()}, made);
        made.sharding.reset();
        made.name += ".memory";
      }
      at = put(std::move(made), out);
      const auto known = renamed_.find(bitcast.name);
      if (!last) renamed_[out.at(at).name] = known == renamed_.end() ? bitcast.name : known->second;
    };
    if (!moves.before.empty()) add(Opcode::transpose, moves.from, moves.before, false);
    const bool same = moves.from.type == moves.to.type;
    add(same ? Opcode::reshape : Opcode::bitcast, moves.to, {}, moves.after.empty());
    if (!moves.after.empty())
      add(Opcode::transpose, Shape::array(bitcast.shape.type, bitcast.shape.dims), moves.after, true);
    return at;
  }

  // "x", "x.clone", "x.clone.clone" as XLA calls them; after a few such, numbers: a name stays a name.
  void give_name(Instruction& i) {
    constexpr int kMostClones = 8;
    const std::string written = i.name;
    for (int clones = 0; !names_.insert(i.name).second; ++clones)
      i.name =
          clones < kMostClones ? i.name + ".clone" : written + ".clone" + std::to_string(++numbers_[written]);
  }

  Program& module_;
  RenamedInstructions& renamed_;
  std::vector<bool> kept_, inlined_;  // by computation; some are both
  std::vector<double> length_;        // of each with its calls written out
  std::unordered_set<std::string> names_;
  std::map<std::string, int64_t> numbers_;  // last given to a clone
};

// Instructions of a module as it is partitioned, all of them written out.
constexpr double kMostFlat = 4e6;
constexpr double kBytesPerInstruction = 4000;  // of the module and what is made of it

Result<void> check_length(double length, const Program& module) {
  if (length > kMostFlat)
    return too_big("the module has more than " + group_digits(static_cast<int64_t>(kMostFlat)) +
                       " instructions with its calls written out",
                   "module " + module.name);
  if (length < 100'000) return {};
  return require_memory(length * kBytesPerInstruction,
                        "partitioning " + group_digits(static_cast<int64_t>(length)) + " instructions", "",
                        "module " + module.name);
}

// What a custom-call does that no result shows. Shardy's own only say something of their operand.
bool has_effect(const Instruction& i) {
  const std::string& target = custom_call_target(i);
  if (target.empty() || target.starts_with("xla.sdy.")) return false;
  const std::string* said = verbatim_attribute(i, "custom_call_has_side_effect");
  return said != nullptr && *said == "true";
}

// Annotations give their sharding to what they annotate, when it has none of its own.
void place_annotations(Computation& c, PropagationGuides* guides) {
  std::vector<InstructionId> stands_for(c.instructions.size());
  for (size_t k = 0; k < c.instructions.size(); ++k) {
    Instruction& i = c.instructions[k];
    for (InstructionId& operand : i.operands) operand = stands_for[static_cast<size_t>(operand.value)];
    stands_for[k] = InstructionId(static_cast<int64_t>(k));
    if (guides != nullptr && calls(i, kShardingGroup)) {
      const auto number = frontend_attribute(i.verbatim, "xla.sdy.sharding_group_id");
      const std::string text = number.value_or("");
      if (const auto id = parse_int(text.substr(0, text.find(' '))))
        guides->groups.emplace_back(*id, c.at(i.operands[0]).name);
    }
    const bool guides_only = calls(i, kPropagationBarrier) || calls(i, kFuncResultSharding);
    if (!is_annotation(i) || (guides != nullptr && guides_only)) continue;
    Instruction& operand = c.instructions[static_cast<size_t>(i.operands[0].value)];
    if (!has_sharding(operand) && has_sharding(i)) take_sharding(i, operand);
    if (!has_sharding(i) || same_sharding(operand, i)) {
      stands_for[k] = i.operands[0];
    } else {
      i.opcode = Opcode::copy;
      i.attributes = {};
    }
  }
  c.root = stands_for[static_cast<size_t>(c.root.value)];
}

void products_to_convolutions(Computation& c, RenamedInstructions& renamed) {
  int64_t count = 0;
  for (Instruction& i : c.instructions) {
    if (i.operands.size() != 2 || !is_plain_product(i, c.at(i.operands[0]).shape, c.at(i.operands[1]).shape))
      continue;
    i.opcode = Opcode::convolution;
    const auto known = renamed.find(i.name);
    const std::string written = known == renamed.end() ? i.name : known->second;
    i.name = count == 0 ? "convolution" : "convolution." + std::to_string(count);
    renamed[i.name] = written;
    ++count;
    i.dot = {};
    ConvolutionDims labels;  // bf_io->bf
    labels.input_batch = labels.kernel_input = labels.output_batch = 0;
    labels.input_feature = labels.kernel_output = labels.output_feature = 1;
    i.attributes = std::move(labels);
  }
}

}  // namespace

const std::string& written_name(const RenamedInstructions& renamed, const std::string& name) {
  const auto written = renamed.find(name);
  return written == renamed.end() ? name : written->second;
}

void remove_dead(Computation& c, Effects effects) {
  std::vector<bool> live(c.instructions.size());
  live[static_cast<size_t>(c.root.value)] = true;
  for (const InstructionId given : parameter_ids(c)) live[static_cast<size_t>(given.value)] = true;
  for (size_t k = c.instructions.size(); k-- > 0;) {
    if (effects == Effects::kept && has_effect(c.instructions[k])) live[k] = true;
    if (!live[k]) continue;
    for (const InstructionId operand : c.instructions[k].operands)
      live[static_cast<size_t>(operand.value)] = true;
  }
  if (std::ranges::count(live, false) == 0) return;
  std::vector<InstructionId> to(c.instructions.size());
  size_t count = 0;
  for (size_t k = 0; k < c.instructions.size(); ++k) {
    if (!live[k]) continue;
    to[k] = InstructionId(static_cast<int64_t>(count));
    for (InstructionId& operand : c.instructions[k].operands)
      operand = to[static_cast<size_t>(operand.value)];
    if (count != k) c.instructions[count] = std::move(c.instructions[k]);
    ++count;
  }
  c.root = to[static_cast<size_t>(c.root.value)];
  c.instructions.resize(count);
}

void keep_called(Program& program) {
  std::vector<bool> live(program.computations.size());
  live[static_cast<size_t>(program.entry.value)] = true;
  for (size_t k = program.computations.size(); k-- > 0;) {
    if (!live[k]) continue;
    for (const Instruction& i : program.computations[k].instructions)
      for (const CalledComputation& c : i.called) live[static_cast<size_t>(c.computation.value)] = true;
  }
  std::vector<ComputationId> to(program.computations.size());
  std::vector<Computation> kept;
  for (size_t k = 0; k < program.computations.size(); ++k) {
    if (!live[k]) continue;
    to[k] = ComputationId(static_cast<int64_t>(kept.size()));
    for (Instruction& i : program.computations[k].instructions) {
      i.called.change([&](std::vector<CalledComputation>& called) {
        for (CalledComputation& c : called) c.computation = to[static_cast<size_t>(c.computation.value)];
      });
    }
    kept.push_back(std::move(program.computations[k]));
  }
  program.entry = to[static_cast<size_t>(program.entry.value)];
  program.computations = std::move(kept);
}

Result<Program> prepare_for_spmd(Program module, SpmdDialect dialect, RenamedInstructions* renamed,
                                 PropagationGuides* guides) {
  TRY_VOID(verify(module));
  RenamedInstructions unasked;
  RenamedInstructions& names = renamed == nullptr ? unasked : *renamed;
  TRY(std::optional<Program> rewritten, sdy_regions_as_spmd(module, names));
  if (rewritten) module = *std::move(rewritten);
  Inliner inliner(module, names);
  TRY_VOID(check_length(inliner.length(), module));
  std::vector<Computation> flat(module.computations.size());
  for (size_t k = 0; k < flat.size(); ++k) {
    if (!inliner.keeps(k)) continue;  // written out where it is called
    flat[k] = inliner.flat(k);
    place_annotations(flat[k], guides);
    remove_dead(flat[k]);
    if (dialect == SpmdDialect::tpu2022) products_to_convolutions(flat[k], names);
  }
  module.computations = std::move(flat);
  keep_called(module);
  return module;
}

bool needs_preparing(const Program& module, SpmdDialect dialect) {
  if (dialect != SpmdDialect::current || has_sdy_regions(module)) return true;
  return std::ranges::any_of(module.computations, [](const Computation& c) {
    return !is_flat(c) || std::ranges::any_of(c.instructions, is_annotation);
  });
}

}  // namespace shardscope::inline partitioner
