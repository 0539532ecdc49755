// SPDX-License-Identifier: Apache-2.0
#include "engine/grad/grad.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/grad/sweep.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/program/registered.h"

namespace shardscope::inline grad {
namespace {

std::string names_of(const std::vector<std::string>& names) {
  constexpr size_t kMost = 12;
  std::vector<std::string> shown(names.begin(),
                                 names.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, names.size())));
  if (names.size() > kMost) shown.emplace_back("…");
  return join(shown, ", ");
}

std::string without_sigil(const std::string& name) {
  return name.starts_with('%') ? name.substr(1) : name;
}

// The array of an instruction that the gradient is taken of.
struct Target {
  InstructionId id;
  size_t leaf = 0;
  std::string name;
};

class Resolver {
 public:
  Resolver(const Program& module, const RenamedInstructions& renamed)
      : entry_(module.entry_computation()), renamed_(renamed) {}

  Result<Target> target(const std::string& of) const {
    const std::string name = without_sigil(of);
    for (size_t k = 0; k < entry_.instructions.size(); ++k)
      if (is_called(entry_.instructions[k], name)) return array(InstructionId(static_cast<int64_t>(k)), name);
    const auto results = result_ids(entry_);
    std::string number = name;
    if (number == "result") number = "0";
    if (number.starts_with("result.")) number = number.substr(7);
    const auto place = parse_int(number);
    if (place && *place >= 0 && *place < std::ssize(results))
      return array(results[static_cast<size_t>(*place)], name);
    return invalid("no result and no instruction of the entry is called '" + of + "'", "--of",
                   "name an instruction, or a result by its number from 0 to " +
                       std::to_string(std::ssize(results) - 1));
  }

  Result<InstructionId> parameter(const std::string& by) const {
    const std::string name = without_sigil(by);
    std::vector<std::string> names;
    for (const InstructionId id : parameter_ids(entry_)) {
      const Instruction& i = entry_.at(id);
      names.push_back(written_name(renamed_, i.name));
      if (!is_called(i, name) && std::to_string(i.parameter_number) != name) continue;
      if (i.shape.is_tuple) return invalid("parameter '" + by + "' is a tuple, expected an array", "--by");
      if (is_floating(i.shape.type) || is_complex(i.shape.type)) return id;
      return invalid("parameter '" + by + "' is " + i.shape.text_without_layout() +
                         ", expected floating or complex numbers",
                     "--by");
    }
    return invalid("no parameter is called '" + by + "'", "--by", "name one of " + names_of(names));
  }

 private:
  bool is_called(const Instruction& i, const std::string& name) const {
    return i.name == name || written_name(renamed_, i.name) == name;
  }

  Result<Target> array(InstructionId id, const std::string& name) const {
    const Shape& shape = entry_.at(id).shape;
    if (leaf_count(shape) != 1)
      return invalid("'" + name + "' is " + shape.text_without_layout() + ", expected an array", "--of");
    const ElementType type = nth_leaf(shape, 0).type;
    if (!is_floating(type))
      return invalid("'" + name + "' is " + shape.text_without_layout() + ", expected floating numbers",
                     "--of");
    return Target{id, 0, name};
  }

  const Computation& entry_;
  const RenamedInstructions& renamed_;
};

class Writer {
 public:
  Writer(const Program& module, const Program& operations, const GradRequest& request)
      : module_(module),
        entry_(module.entry_computation()),
        request_(request),
        made_(module),
        page_(made_, entry_.name) {
    for (const Computation& c : operations.computations)
      if (const Computation* backward = request.own_backwards
                                            ? computation_named(operations, c.name + std::string(kBackward))
                                            : nullptr)
        made_.put_backward(c.name, backward->root_instruction().shape);
  }

  Result<Program> write(const Target& of, const std::vector<InstructionId>& by) {
    std::vector<LeafFlags> given;
    for (const InstructionId id : parameter_ids(entry_)) {
      const auto number = static_cast<size_t>(entry_.at(id).parameter_number);
      given.resize(std::max(given.size(), number + 1));
      given[number] = LeafFlags(leaf_count(entry_.at(id).shape), std::ranges::count(by, id) > 0);
    }
    GradSweep sweep(entry_, active_arrays(module_, entry_, given, of.id, LeafFlags{true}),
                    {page_, page_, [](InstructionId id) { return id; }}, request_.remat);
    TRY_VOID(sweep.forward(parameters(), request_.stop));
    sweep.give(of.id, 0, seed(of));
    TRY_VOID(sweep.backward(request_.stop));
    std::vector<InstructionId> results;
    for (const InstructionId id : by) results.push_back(result(sweep, id));
    const InstructionId root = results.size() == 1 ? results.front() : page_.tuple(results);
    const ComputationId entry = made_.add(std::move(page_).finish(root));
    if (made_.error()) return *made_.error();
    Program out = std::move(made_).finish(entry);
    TRY_VOID(verify(out));
    return out;
  }

 private:
  std::vector<InstructionId> parameters() {
    std::vector<InstructionId> out;
    for (const Instruction* i : parameters_by_number(entry_)) out.push_back(page_.add(*i));
    return out;
  }

  InstructionId seed(const Target& of) {
    const Shape& whole = nth_leaf(entry_.at(of.id).shape, 0);
    const Shape shape = Shape::array(whole.type, whole.dims);
    if (shape.rank() == 0) return page_.constant(shape, 1);
    const auto number = static_cast<int64_t>(parameter_ids(entry_).size());
    return page_.parameter(number, shape, of.name + ".bar");
  }

  InstructionId result(GradSweep& sweep, InstructionId parameter) {
    const InstructionId bar = sweep.bar(parameter);
    if (bar.valid()) return bar;
    const Shape& shape = entry_.at(parameter).shape;
    return page_.zeros(Shape::array(shape.type, shape.dims));
  }

  const Program& module_;
  const Computation& entry_;
  const GradRequest& request_;
  GradModule made_;
  GradPage page_;
};

}  // namespace

Result<Remat> parse_remat(const std::string& text) {
  if (text == "none") return Remat::none;
  if (text == "dots") return Remat::dots;
  if (text == "all") return Remat::all;
  return invalid("no rematerialisation '" + text + "'", "", "use none, dots or all");
}

namespace {

// Calls of what has a derivative of its own stay calls, by their names.
Program with_named_calls(Program module) {
  for (Computation& c : module.computations)
    for (Instruction& i : c.instructions) {
      if (i.opcode != Opcode::call || i.called->empty()) continue;
      const std::string& name = module.computation(i.called->front().computation).name;
      if (computation_named(module, name + std::string(kBackward)) == nullptr) continue;
      i.opcode = Opcode::custom_call;
      i.attributes = CustomCall{name};
      i.called = {};
    }
  return module;
}

}  // namespace

Result<Program> gradient(const Program& module, const GradRequest& request) {
  if (request.by.empty())
    return invalid("no parameter is named to differentiate by", "--by", "name at least one");
  TRY_VOID(check_operations(module));
  RenamedInstructions renamed;
  TRY(const Program flat, prepare_for_spmd(request.own_backwards ? with_named_calls(module) : module,
                                           SpmdDialect::current, &renamed));
  const Resolver resolver(flat, renamed);
  TRY(const Target of, resolver.target(request.of));
  std::vector<InstructionId> by;
  for (const std::string& name : request.by) {
    TRY(const InstructionId id, resolver.parameter(name));
    by.push_back(id);
  }
  TRY(const Program made, Writer(flat, module, request).write(of, by));
  return with_operations(made, module);
}

}  // namespace shardscope::inline grad
