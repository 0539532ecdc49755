// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/types/sdy_regions.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/program/analysis/tuple_elements.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/mlir/module_shardings.h"

namespace shardscope::inline partitioner {
namespace {

constexpr const char* kEnter = "xla.sdy.GlobalToLocalShape";
constexpr const char* kLeave = "xla.sdy.LocalToGlobalShape";

bool calls_target(const Instruction& i, std::string_view target) {
  return custom_call_target(i).ends_with(target);
}

using Axes = std::vector<std::string>;

// One computation with its edges rewritten.
class Rewriter {
 public:
  Rewriter(const Program& module, const Computation& from, Axes around, RenamedInstructions& renamed)
      : module_(module),
        from_(from),
        around_(std::move(around)),
        renamed_(renamed),
        to_(from.instructions.size()),
        parts_(from.instructions.size()) {}

  Result<Computation> rewritten() {
    out_ = from_;
    out_.instructions.clear();
    for (size_t k = 0; k < from_.instructions.size(); ++k) TRY_VOID(one(k));
    out_.root = to(from_.root);
    return std::move(out_);
  }

 private:
  InstructionId to(InstructionId old) const { return to_[static_cast<size_t>(old.value)]; }

  Result<void> one(size_t k) {
    Instruction i = from_.instructions[k];
    for (InstructionId& operand : i.operands) operand = to(operand);
    i.control_predecessors.change([&](std::vector<InstructionId>& before) {
      for (InstructionId& id : before) id = to(id);
    });
    const bool enters = calls_target(i, kEnter);
    if (enters || calls_target(i, kLeave)) return edge(k, std::move(i), enters);
    if (i.opcode == Opcode::get_tuple_element) {
      const auto& parts = parts_[static_cast<size_t>(from_.instructions[k].operands[0].value)];
      if (static_cast<size_t>(i.tuple_index) < parts.size()) {
        to_[k] = parts[static_cast<size_t>(i.tuple_index)];
        return {};
      }
    }
    to_[k] = add(std::move(i));
    return {};
  }

  // An array each operand: annotated as a whole, or as each device's part, on both sides of the edge.
  Result<void> edge(size_t k, Instruction i, bool enters) {
    std::vector<Shape> shapes = {i.shape};
    if (i.shape.is_tuple) shapes = i.shape.elements;
    if (shapes.size() != i.operands.size())
      return refuse(i, std::to_string(i.operands.size()) + " operands, expected as many results");
    TRY(const std::vector<EdgeSharding> shardings, shardings_of(k, i, enters));
    for (size_t p = 0; p < shapes.size(); ++p) {
      const EdgeSharding& s = shardings[p];
      const Shape before = out_.at(i.operands[p]).shape;
      const HloSharding &first = enters ? s.whole : s.part, &second = enters ? s.part : s.whole;
      const char* target = enters ? "SPMDFullToShardShape" : "SPMDShardToFullShape";
      const InstructionId held = add(custom_call(i, "Sharding", before, i.operands[p], {first, s.words}));
      parts_[k].push_back(add(custom_call(i, target, shapes[p], held, {second, s.words})));
    }
    to_[k] = i.shape.is_tuple ? add(tuple(i, parts_[k])) : parts_[k].front();
    return {};
  }

  // Older modules say them on the call alone.
  Result<std::vector<EdgeSharding>> shardings_of(size_t k, const Instruction& i, bool enters) const {
    const char* key = enters ? "xla.sdy.in_shardings" : "xla.sdy.out_shardings";
    const Instruction* call = call_at(k, enters);
    const auto said = [&](const char* what) {
      auto text = frontend_attribute(i.verbatim, what);
      return text || call == nullptr ? text : frontend_attribute(call->verbatim, what);
    };
    const auto text = said(key), axes = said("xla.sdy.manual_axes");
    if (!text || !axes) return refuse(i, std::string("no ") + (text ? "xla.sdy.manual_axes" : key));
    std::vector<size_t> ranks;
    for (const InstructionId operand : i.operands) ranks.push_back(out_.at(operand).shape.rank());
    auto read = edge_shardings(module_, {*text, *axes, ranks, around_});
    if (!read.ok()) return refuse(i, read.error().what);
    return read;
  }

  // The call that reads what enters, or makes what leaves.
  const Instruction* call_at(size_t k, bool enters) const {
    if (!enters) {
      for (const InstructionId operand : from_.instructions[k].operands)
        if (const Instruction& made = from_.at(behind_elements(from_, operand)); made.opcode == Opcode::call)
          return &made;
      return nullptr;
    }
    for (size_t later = k + 1; later < from_.instructions.size(); ++later) {
      const Instruction& i = from_.instructions[later];
      if (i.opcode != Opcode::call) continue;
      for (const InstructionId operand : i.operands)
        if (static_cast<size_t>(behind_elements(from_, operand).value) == k) return &i;
    }
    return nullptr;
  }

  struct Words {
    HloSharding sharding;
    std::string in_shardy;
  };
  Instruction custom_call(const Instruction& like, const char* target, Shape shape, InstructionId of,
                          Words words) {
    Instruction made;
    made.name = name_like(like);
    made.opcode = Opcode::custom_call;
    made.shape = std::move(shape);
    made.operands = {of};
    made.attributes = CustomCall{target};
    made.sharding = std::move(words.sharding);
    if (!words.in_shardy.empty())
      made.verbatim = with_frontend_attribute({}, kSdySharding, std::move(words.in_shardy));
    made.provenance = like.provenance;
    made.line = like.line;
    return made;
  }

  Instruction tuple(const Instruction& like, const std::vector<InstructionId>& parts) {
    Instruction made;
    made.name = name_like(like);
    made.opcode = Opcode::tuple;
    made.shape = like.shape;
    made.operands = parts;
    return made;
  }

  std::string name_like(const Instruction& like) {
    std::string name = like.name + ".edge." + std::to_string(made_++);
    renamed_[name] = like.name;
    return name;
  }

  InstructionId add(Instruction i) {
    out_.instructions.push_back(std::move(i));
    return InstructionId(static_cast<int64_t>(out_.instructions.size()) - 1);
  }

  static Error refuse(const Instruction& i, const std::string& what) {
    return invalid(what, "instruction " + display_name(i));
  }

  const Program& module_;
  const Computation& from_;
  const Axes around_;
  RenamedInstructions& renamed_;
  Computation out_;
  std::vector<InstructionId> to_;
  std::vector<std::vector<InstructionId>> parts_;  // of an edge: its results
  int64_t made_ = 0;
};

constexpr const char* kManualAxes = "xla.sdy.manual_axes";

// The axes that a region's call makes manual: it says them, or the edges do through which its operands enter
// and its results leave. Empty: it is of no region of its own.
std::optional<std::string> axes_of_call(const Computation& c, InstructionId call) {
  const Instruction& i = c.at(call);
  if (auto said = frontend_attribute(i.verbatim, kManualAxes)) return said;
  for (const InstructionId operand : i.operands)
    if (const Instruction& edge = c.at(behind_elements(c, operand)); calls_target(edge, kEnter))
      return frontend_attribute(edge.verbatim, kManualAxes);
  for (const Instruction& edge : c.instructions)
    if (calls_target(edge, kLeave) && std::ranges::any_of(edge.operands, [&](InstructionId operand) {
          return behind_elements(c, operand) == call;
        }))
      return frontend_attribute(edge.verbatim, kManualAxes);
  return std::nullopt;
}

// The manual axes in which each computation stands, by number.
std::vector<Axes> axes_around(const Program& module) {
  std::vector<Axes> out(module.computations.size());
  for (size_t c = out.size(); c-- > 0;) {  // callers before callees
    const Computation& computation = module.computations[c];
    for (size_t k = 0; k < computation.instructions.size(); ++k) {
      const Instruction& i = computation.instructions[k];
      if (i.called.empty()) continue;
      Axes inner = out[c];
      if (i.opcode == Opcode::call)
        if (const auto said = axes_of_call(computation, InstructionId(static_cast<int64_t>(k))))
          for (std::string& axis : sdy_names_in(*said))
            if (std::ranges::count(inner, axis) == 0) inner.push_back(std::move(axis));
      for (const CalledComputation& called : i.called)
        out[static_cast<size_t>(called.computation.value)] = inner;
    }
  }
  return out;
}

}  // namespace

bool has_sdy_regions(const Program& module) {
  return std::ranges::any_of(module.computations, [](const Computation& c) {
    return std::ranges::any_of(c.instructions, [](const Instruction& i) { return calls_target(i, kEnter); });
  });
}

Result<std::optional<Program>> sdy_regions_as_spmd(const Program& module, RenamedInstructions& renamed) {
  if (!has_sdy_regions(module)) return std::optional<Program>();
  std::vector<Axes> around = axes_around(module);
  Program out = module;
  for (size_t c = 0; c < out.computations.size(); ++c) {
    TRY(out.computations[c],
        Rewriter(module, module.computations[c], std::move(around[c]), renamed).rewritten());
  }
  return std::optional(std::move(out));
}

}  // namespace shardscope::inline partitioner
