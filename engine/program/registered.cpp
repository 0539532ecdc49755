// SPDX-License-Identifier: Apache-2.0
#include "engine/program/registered.h"

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>

#include "engine/base/text.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/mlir/module_shardings.h"
#include "engine/program/rules/shape_rules.h"
#include "engine/program/scalar_operation.h"

namespace shardscope::inline program {
namespace {

// Which computations of `library` are called for by a custom-call, with all that those call.
std::vector<bool> called_for(const Program& library, const std::set<std::string, std::less<>>& targets) {
  std::vector<bool> out(library.computations.size());
  for (size_t k = out.size(); k-- > 0;) {  // callees stand before callers
    const Computation& c = library.computations[k];
    const std::string_view name = c.name;
    const bool backward =
        name.ends_with(kBackward) && targets.contains(name.substr(0, name.size() - kBackward.size()));
    if (targets.contains(name) || backward) out[k] = true;
    if (!out[k]) continue;
    for (const Instruction& i : c.instructions)
      for (const CalledComputation& called : *i.called)
        out[static_cast<size_t>(called.computation.value)] = true;
  }
  return out;
}

std::set<std::string, std::less<>> targets_in(const Program& module, const Program& library) {
  std::set<std::string, std::less<>> out;
  for (const Computation& c : module.computations)
    for (const Instruction& i : c.instructions)
      if (const std::string& target = custom_call_target(i);
          !target.empty() && computation_named(library, target) != nullptr)
        out.insert(target);
  return out;
}

// A name that nobody has: its own, with numbers behind it where that is taken.
std::string fresh(std::set<std::string>& taken, const std::string& name) {
  std::string out = name;
  for (int k = 1; !taken.insert(out).second; ++k) out = name + "." + std::to_string(k);
  return out;
}

void move_calls(Computation& c, const std::vector<ComputationId>& to) {
  for (Instruction& i : c.instructions)
    i.called.change([&](std::vector<CalledComputation>& called) {
      for (CalledComputation& each : called)
        each.computation = to[static_cast<size_t>(each.computation.value)];
    });
}

// What it gives, by result.
std::vector<Shape> results_of(const Computation& computation) {
  const Shape& root = computation.root_instruction().shape;
  return root.is_tuple ? *root.elements : std::vector<Shape>{root};
}

// Which operands of a call of an operation of scalars are arrays; none: it is of other arrays, or of scalars.
Result<std::optional<ElementwiseCall>> elementwise_call(const Computation& operation, const Computation& in,
                                                        const Instruction& call) {
  ElementwiseCall out;
  if (!takes_scalars(operation) || call.operands.size() != parameters(operation).size())
    return std::optional<ElementwiseCall>();
  bool any = false;
  for (const InstructionId operand : call.operands) {
    const Shape& shape = in.at(operand).shape;
    if (shape.is_tuple) return std::optional<ElementwiseCall>();
    out.arrays.push_back(!shape.dims.empty());
    if (shape.dims.empty()) continue;
    if (any && shape.dims != out.dims)
      return invalid("operation " + operation.name +
                         " is applied to each element, got arrays of several shapes: " +
                         shape.text_without_layout() + " and [" + join(out.dims, ",") + "]",
                     "instruction " + call.name);
    any = true;
    out.dims = shape.dims;
  }
  return any ? std::optional(std::move(out)) : std::nullopt;
}

constexpr const char* kShortRule = "sdy.sharding_rule";

void say_in_frontend(Instruction& i, const char* key, const std::optional<std::string>& value) {
  i.verbatim = with_frontend_attribute(i.verbatim, key, value);
}

// "([i, j], [])->([i, j])" of arrays and scalars: each element is for itself.
std::string elementwise_rule(const ElementwiseCall& call, const std::vector<Shape>& results) {
  std::vector<std::string> names, sizes;
  for (size_t d = 0; d < call.dims.size(); ++d) {
    names.push_back(d < 17 ? std::string(1, static_cast<char>('i' + d)) : "z_" + std::to_string(d));
    sizes.push_back(names.back() + "=" + std::to_string(call.dims[d]));
  }
  const auto array = [&](bool is) { return is ? "[" + join(names, ", ") + "]" : std::string("[]"); };
  std::vector<std::string> operands, made;
  for (const bool is : call.arrays) operands.push_back(array(is));
  for (const Shape& result : results) made.push_back(array(!result.dims.empty()));
  return "#sdy.op_sharding_rule<(" + join(operands, ", ") + ")->(" + join(made, ", ") + ") {" +
         join(sizes, ", ") + "}, custom>";
}

// What an operation of scalars takes, it takes for each element.
void widen_cost(const Computation& scalar, const ElementwiseCall& call, Computation& wide) {
  const OperationCost one = operation_cost(scalar.root_instruction());
  if (!one.flops && !one.bytes) return;
  double elements = 1;
  for (const int64_t size : call.dims) elements *= static_cast<double>(size);
  Instruction& root = wide.instructions[static_cast<size_t>(wide.root.value)];
  if (one.flops) say_in_frontend(root, kSaidFlops, fmt::format("{}", *one.flops * elements));
  if (one.bytes) say_in_frontend(root, kSaidBytes, fmt::format("{}", *one.bytes * elements));
  say_in_frontend(root, kShortRule, std::nullopt);
  say_in_frontend(root, kSaidRule, elementwise_rule(call, results_of(wide)));
}

// The library with an operation more for each shape that one of scalars is called with, and the module that
// calls those.
struct Widened {
  Program module, library;
};

class Widening {
 public:
  explicit Widening(Widened of) : out_(std::move(of)) {
    for (const Computation& c : out_.library.computations) names_.insert(c.name);
    for (const Computation& c : out_.module.computations) names_.insert(c.name);
  }

  Result<Widened> widen() && {
    for (Computation& c : out_.module.computations)
      for (Instruction& i : c.instructions) {
        const Computation* operation = computation_named(out_.library, custom_call_target(i));
        if (custom_call_target(i).empty() || operation == nullptr) continue;
        TRY(const auto call, elementwise_call(*operation, c, i));
        if (!call) continue;
        TRY(std::string target, named(operation->name, *call));
        i.attributes = CustomCall{std::move(target)};
      }
    return std::move(out_);
  }

 private:
  // "SGD.256x64", with its backward where SGD has one.
  Result<std::string> named(const std::string& operation, const ElementwiseCall& call) {
    std::string key = operation + "." + join(call.dims, "x") + " ";
    for (const bool array : call.arrays) key += array ? '1' : '0';
    if (const auto there = made_.find(key); there != made_.end()) return there->second;
    const std::string name = fresh(names_, operation + "." + join(call.dims, "x"));
    const Computation forward = *computation_named(out_.library, operation);
    const Computation* back = computation_named(out_.library, operation + std::string(kBackward));
    std::optional<Computation> backward = back == nullptr ? std::nullopt : std::optional(*back);
    TRY(Computation made, applied_to_elements(forward, call, name));
    widen_cost(forward, call, made);
    if (backward) {
      // A cotangent is an array where its result is one.
      ElementwiseCall both = call;
      for (const Shape& result : results_of(made)) both.arrays.push_back(!result.dims.empty());
      if (parameters(*backward).size() == both.arrays.size()) {
        TRY(Computation wide, applied_to_elements(*backward, both, name + std::string(kBackward)));
        widen_cost(*backward, both, wide);
        out_.library.computations.push_back(std::move(wide));
      }
    }
    out_.library.computations.push_back(std::move(made));
    return made_[key] = name;
  }

  Widened out_;
  std::set<std::string> names_;
  std::map<std::string, std::string> made_;
};

// The library's computations that are called for, in front of the module's. `own`: the library is the module,
// and has others beside.
Program joined(const Program& module, const Program& library, const std::vector<bool>& wanted, bool own) {
  Program out = module;
  std::set<std::string> names, computations;
  for (const Computation& c : module.computations) {
    computations.insert(c.name);
    for (const Instruction& i : c.instructions) names.insert(i.name);
  }
  std::vector<Computation> added;
  std::vector<ComputationId> of_library(library.computations.size()), of_module;
  for (size_t k = 0; k < wanted.size(); ++k) {
    if (!wanted[k] || (own && k < module.computations.size())) continue;
    Computation copy = library.computations[k];
    move_calls(copy, of_library);
    for (Instruction& i : copy.instructions) i.name = fresh(names, i.name);
    copy.name = fresh(computations, copy.name);
    of_library[k] = ComputationId(std::ssize(added));
    added.push_back(std::move(copy));
  }
  const int64_t count = std::ssize(added);
  for (int64_t k = 0; k < std::ssize(module.computations); ++k) of_module.emplace_back(k + count);
  for (Computation& c : out.computations) move_calls(c, of_module);
  out.entry = of_module[static_cast<size_t>(out.entry.value)];
  out.computations.insert(out.computations.begin(), added.begin(), added.end());
  return out;
}

// A call's own word, else the root's.
std::optional<std::string> word_of(const Computation& operation, const Instruction& call,
                                   std::initializer_list<const char*> keys) {
  for (const auto* verbatim : {&*call.verbatim, &*operation.root_instruction().verbatim})
    for (const char* key : keys)
      if (auto word = frontend_attribute(*verbatim, key)) return word;
  return std::nullopt;
}

Result<void> take_words(const Computation& operation, Instruction& call) {
  const auto rule = word_of(operation, call, {kSaidRule, kShortRule});
  say_in_frontend(call, kShortRule, std::nullopt);
  if (rule) say_in_frontend(call, kSaidRule, rule);
  for (const char* key : {kSaidFlops, kSaidBytes}) {
    const auto word = word_of(operation, call, {key});
    if (!word) continue;
    const auto number = parse_double(*word);
    if (!number || !(*number >= 0 && *number < 1e18))
      return invalid("operation " + operation.name + " says " + key + " " + *word +
                         ", expected a number that is not negative",
                     "instruction " + call.name);
    say_in_frontend(call, key, word);
  }
  return {};
}

Result<void> call_instead(Program& module, Instruction& i, ComputationId operation, const Computation& in) {
  TRY_VOID(take_words(module.computation(operation), i));
  i.opcode = Opcode::call;
  i.attributes = {};
  i.called = {{"to_apply", operation}};
  return check_call({module, in, i});
}

}  // namespace

OperationCost operation_cost(const Instruction& call) {
  const auto number = [&](const char* key) -> std::optional<double> {
    const auto text = frontend_attribute(call.verbatim, key);
    return text ? parse_double(*text) : std::nullopt;
  };
  return {number(kSaidFlops), number(kSaidBytes)};
}

bool is_whole_call(const Instruction& call) {
  const OperationCost cost = operation_cost(call);
  return cost.flops || cost.bytes || frontend_attribute(call.verbatim, kSaidRule);
}

bool is_operation(const Instruction& fusion) {
  return fusion.opcode == Opcode::fusion && frontend_attribute(fusion.verbatim, kSaidOperation).has_value();
}

const Computation* computation_named(const Program& program, std::string_view name) {
  const auto found =
      std::ranges::find_if(program.computations, [name](const Computation& c) { return c.name == name; });
  return found == program.computations.end() ? nullptr : &*found;
}

Result<Program> with_operations(const Program& given, const Program& own) {
  if (targets_in(given, own).empty()) return given;
  TRY_VOID(check_operations(own));
  TRY(const Widened widened, Widening({given, own}).widen());
  const auto& [module, library] = widened;
  const auto targets = targets_in(module, library);
  Program out = joined(module, library, called_for(library, targets), &given == &own);
  for (size_t k = 0; k < out.computations.size(); ++k)
    for (size_t n = 0; n < out.computations[k].instructions.size(); ++n) {
      const std::string target = custom_call_target(out.computations[k].instructions[n]);
      if (!targets.contains(target)) continue;
      const auto operation = computation_named(out, target) - out.computations.data();
      if (operation >= std::ssize(out.computations) || static_cast<size_t>(operation) >= k)
        return invalid("operation " + target + " calls itself", "computation " + target);
      TRY_VOID(call_instead(out, out.computations[k].instructions[n], ComputationId(operation),
                            out.computations[k]));
    }
  return out;
}

Result<Program> with_own_operations(Program module) {
  if (targets_in(module, module).empty()) return module;
  return with_operations(module, module);
}

Result<void> check_operations(const Program& library) {
  for (const Computation& backward : library.computations) {
    const std::string_view name = backward.name;
    if (!name.ends_with(kBackward)) continue;
    const Computation* forward = computation_named(library, name.substr(0, name.size() - kBackward.size()));
    if (forward == nullptr) continue;
    std::vector<Shape> expected, given;
    for (const Instruction& i : parameters(*forward)) expected.push_back(i.shape);
    const std::vector<Shape> operands = expected;
    for (const Shape& result : results_of(*forward)) expected.push_back(result);
    for (const Instruction& i : parameters(backward)) given.push_back(i.shape);
    const Shape takes = Shape::tuple(given), should = Shape::tuple(expected);
    if (!same_shape(takes, should))
      return invalid(backward.name + " takes " + takes.text_without_layout() + ", expected " +
                         should.text_without_layout() + ": the operands, then the cotangents",
                     "computation " + backward.name);
    const Shape gives = Shape::tuple(results_of(backward)), wants = Shape::tuple(operands);
    if (!same_shape(gives, wants))
      return invalid(backward.name + " gives " + gives.text_without_layout() + ", expected " +
                         wants.text_without_layout() + ": a cotangent for each operand",
                     "computation " + backward.name);
  }
  return {};
}

}  // namespace shardscope::inline program
