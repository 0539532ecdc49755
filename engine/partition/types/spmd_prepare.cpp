// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/types/spmd_prepare.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/base/machine/memory_limit.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/partition/types/sdy_regions.h"
#include "engine/program/ir/bitcast_moves.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/mlir/module_shardings.h"
#include "engine/sharding/sharding_text.h"

namespace shardscope {
namespace {

bool is_annotation(const Instruction& i) {
  if (i.opcode != Opcode::custom_call || i.operands.size() != 1) return false;
  const std::string target = custom_call_target(i);
  return target == "Sharding" || target == "xla.sdy.FuncResultSharding" || target == kPropagationBarrier;
}

bool calls(const Instruction& i, const char* target) {
  return i.opcode == Opcode::custom_call && i.operands.size() == 1 && custom_call_target(i) == target;
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

// Copies computations with calls written out.
class Inliner {
 public:
  Inliner(const Program& module, RenamedInstructions& renamed) : module_(module), renamed_(renamed) {}

  // Which computations stand for themselves: the entry, and what those call in another way than a call.
  std::vector<bool> kept() const {
    std::vector<bool> out(module_.computations.size()), reached(module_.computations.size());
    out[static_cast<size_t>(module_.entry.value)] = true;
    for (size_t k = out.size(); k-- > 0;) {  // callees stand before callers
      if (!out[k] && !reached[k]) continue;
      for (const Instruction& i : module_.computations[k].instructions)
        for (const CalledComputation& c : i.called)
          (is_inlined(i) ? reached : out)[static_cast<size_t>(c.computation.value)] = true;
    }
    return out;
  }

  // How many instructions flat() writes of all that are kept, before any is written.
  double length() const {
    const std::vector<bool> whole = kept();
    std::vector<double> of(module_.computations.size());
    double all = 0;
    for (size_t k = 0; k < of.size(); ++k) {
      for (const Instruction& i : module_.computations[k].instructions)
        of[k] += 1 + (is_inlined(i) ? of[static_cast<size_t>(i.called.front().computation.value)] : 0);
      if (whole[k]) all += of[k];
    }
    return all;
  }

  Computation flat(const Computation& from) {
    Computation out;
    out.name = from.name;
    names_.clear();
    numbers_.clear();
    std::vector<InstructionId> root = copy(from, {}, nullptr, out);
    out.root = root.front();
    return out;
  }

 private:
  static bool is_inlined(const Instruction& i) {
    return (i.opcode == Opcode::call || i.opcode == Opcode::fusion) && !i.called.empty();
  }

  // The instructions of `from`, its parameters standing for `arguments` (none: kept). Returns its root.
  std::vector<InstructionId> copy(const Computation& from, const std::vector<InstructionId>& arguments,
                                  const Instruction* call, Computation& out) {
    std::vector<InstructionId> to(from.instructions.size());
    for (size_t k = 0; k < from.instructions.size(); ++k) {
      Instruction i = from.instructions[k];
      if (i.opcode == Opcode::parameter && call != nullptr) {
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

  const Program& module_;
  RenamedInstructions& renamed_;
  std::set<std::string> names_;
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
  if (i.opcode != Opcode::custom_call || custom_call_target(i).starts_with("xla.sdy.")) return false;
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
    if (!is_annotation(i) || (guides != nullptr && calls(i, kPropagationBarrier))) continue;
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

void remove_dead(Computation& c, Effects effects) {
  std::vector<bool> live(c.instructions.size());
  live[static_cast<size_t>(c.root.value)] = true;
  for (size_t k = c.instructions.size(); k-- > 0;) {
    if (c.instructions[k].opcode == Opcode::parameter) live[k] = true;
    if (effects == Effects::kept && has_effect(c.instructions[k])) live[k] = true;
    if (!live[k]) continue;
    for (const InstructionId operand : c.instructions[k].operands)
      live[static_cast<size_t>(operand.value)] = true;
  }
  std::vector<InstructionId> to(c.instructions.size());
  std::vector<Instruction> kept;
  for (size_t k = 0; k < c.instructions.size(); ++k) {
    if (!live[k]) continue;
    to[k] = InstructionId(static_cast<int64_t>(kept.size()));
    for (InstructionId& operand : c.instructions[k].operands)
      operand = to[static_cast<size_t>(operand.value)];
    kept.push_back(std::move(c.instructions[k]));
  }
  c.root = to[static_cast<size_t>(c.root.value)];
  c.instructions = std::move(kept);
}

void put_shardings(std::vector<HloSharding> leaves, Instruction& i) {
  i.verbatim = with_frontend_attribute(i.verbatim, kSdySharding, std::nullopt);
  i.verbatim.change([](auto& said) {
    std::erase_if(said, [](const VerbatimAttribute& a) { return a.key == "sharding"; });
  });
  i.sharding.reset();
  if (!i.shape.is_tuple) {
    i.sharding = std::move(leaves.front());
    return;
  }
  std::vector<std::string> parts;
  for (const HloSharding& leaf : leaves) parts.push_back(leaf.text());
  i.verbatim.edit().push_back({"sharding", "{" + join(parts, ", ") + "}"});
}

bool has_sharding(const Instruction& i) {
  return i.sharding.has_value() || verbatim_attribute(i, "sharding") != nullptr;
}

std::vector<Shape> leaves_of(const Shape& shape) {
  if (!shape.is_tuple) return {shape};
  std::vector<Shape> out;
  for (const Shape& element : shape.elements)
    for (Shape& leaf : leaves_of(element)) out.push_back(std::move(leaf));
  return out;
}

const Shape& nth_leaf(const Shape& shape, size_t n) {
  if (!shape.is_tuple) return shape;
  size_t element = 0;
  for (size_t count = leaf_count(shape.elements[0]); count <= n;
       count = leaf_count(shape.elements[element])) {
    n -= count;
    ++element;
  }
  return nth_leaf(shape.elements[element], n);
}

size_t leaf_count(const Shape& shape) {
  if (!shape.is_tuple) return 1;
  size_t count = 0;
  for (const Shape& element : shape.elements) count += leaf_count(element);
  return count;
}

Result<std::vector<HloSharding>> leaf_shardings(const Instruction& i) {
  const size_t leaves = leaf_count(i.shape);
  if (leaves == 0) return std::vector<HloSharding>();  // of what happens on a device, and gives nothing
  if (i.sharding) return std::vector<HloSharding>(leaves, *i.sharding);
  const std::string* text = verbatim_attribute(i, "sharding");
  if (text == nullptr) return std::vector<HloSharding>(leaves);
  if (is_tuple_sharding(*text)) {
    TRY(std::vector<HloSharding> out, HloSharding::parse_tuple(*text));
    if (out.size() == leaves) return out;
    return invalid("sharding " + *text + " has " + std::to_string(out.size()) + " parts, the shape has " +
                       std::to_string(leaves) + " arrays",
                   "instruction " + i.name);
  }
  TRY(const HloSharding one, HloSharding::parse(*text));
  return std::vector<HloSharding>(leaves, one);
}

namespace {

// Only what the entry still calls, callees first.
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

}  // namespace

Result<Program> prepare_for_spmd(const Program& given, SpmdDialect dialect, RenamedInstructions* renamed,
                                 PropagationGuides* guides) {
  TRY_VOID(verify(given));
  RenamedInstructions unasked;
  RenamedInstructions& names = renamed == nullptr ? unasked : *renamed;
  TRY(const std::optional<Program> rewritten, sdy_regions_as_spmd(given, names));
  const Program& module = rewritten ? *rewritten : given;
  Program out = module;
  Inliner inliner(module, names);
  TRY_VOID(check_length(inliner.length(), module));
  const std::vector<bool> kept = inliner.kept();
  for (size_t k = 0; k < out.computations.size(); ++k) {
    if (!kept[k]) continue;  // written out where it is called
    Computation flat = inliner.flat(module.computations[k]);
    place_annotations(flat, guides);
    remove_dead(flat);
    if (dialect == SpmdDialect::tpu2022) products_to_convolutions(flat, names);
    out.computations[k] = std::move(flat);
  }
  keep_called(out);
  return out;
}

}  // namespace shardscope
