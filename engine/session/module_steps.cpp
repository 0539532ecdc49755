// SPDX-License-Identifier: Apache-2.0
#include "engine/session/module_steps.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/numerics/rules/run_on_devices.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/program/text/aliases.h"
#include "engine/session/hlo_proof.h"

namespace shardscope::inline session {
namespace {

std::string without_sigil(const std::string& name) {
  return name.starts_with('%') ? name.substr(1) : name;
}

std::string path_words(const std::vector<int64_t>& path) {
  return path.empty() ? "" : "{" + join(path, ",") + "}";
}

// What a module takes and gives, leaf by leaf.
class Leaves {
 public:
  explicit Leaves(const Program& module)
      : entry_(module.entry_computation()),
        parameters_(module_parameters(module)),
        results_(result_leaves(module)) {}

  Result<size_t> result(const std::string& typed) const {
    const std::string name = without_sigil(typed);
    const std::vector<InstructionId> roots = result_ids(entry_);
    for (size_t k = 0; k < results_.size(); ++k) {
      const bool own = roots.size() == results_.size() && is_called(entry_.at(roots[k]), name);
      if (own || name == result_name(k, results_.size()) || name == std::to_string(k) ||
          name == fmt::format("result.{}", k))
        return k;
    }
    return invalid(fmt::format("no result is called '{}'", typed), "--carry",
                   fmt::format("name one of {} to {}, or 0 to {}", result_name(0, results_.size()),
                               result_name(results_.size() - 1, results_.size()), results_.size() - 1));
  }

  Result<size_t> argument(const std::string& typed) const {
    const std::string name = without_sigil(typed);
    std::vector<std::string> names;
    for (size_t k = 0; k < parameters_.size(); ++k) {
      if (parameters_[k].name == name || parameters_[k].number == name) return k;
      names.push_back(parameters_[k].name);
    }
    const auto near = nearest(name, names);
    constexpr size_t kMost = 12;
    if (names.size() > kMost) names.resize(kMost), names.emplace_back("…");
    return invalid(fmt::format("the module has no parameter '{}'", typed), "--carry",
                   near            ? fmt::format("did you mean {}?", *near)
                   : names.empty() ? std::string("it has none")
                                   : "name one of " + join(names, ", "));
  }

  Result<CarriedLeaf> carried(size_t result, size_t argument) const {
    const Shape &from = results_[result], &to = parameters_[argument].shape;
    const std::string name = result_name(result, results_.size());
    if (from.type != to.type || from.dims != to.dims)
      return invalid(fmt::format("{} is {}, parameter {} is {}", name, from.text_without_layout(),
                                 parameters_[argument].name, to.text_without_layout()),
                     "--carry", "carry a result to a parameter of its shape");
    return CarriedLeaf{result, argument, fmt::format("{} becomes {}", name, parameters_[argument].name)};
  }

  // What an alias is of; none: it says a place that is not there.
  std::optional<CarriedLeaf> aliased(const InputOutputAlias& alias) const {
    const auto argument = std::ranges::find(
        parameters_, fmt::format("{}{}", alias.parameter, path_words(alias.place)), &ModuleParameter::number);
    const auto result = leaf_at(entry_.root_instruction().shape, alias.result);
    if (argument == parameters_.end() || !result) return std::nullopt;
    const auto out = carried(*result, static_cast<size_t>(argument - parameters_.begin()));
    return out.ok() ? std::optional(*out) : std::nullopt;
  }

 private:
  static std::optional<size_t> leaf_at(const Shape& shape, const std::vector<int64_t>& path) {
    size_t leaf = 0;
    const Shape* at = &shape;
    for (const int64_t place : path) {
      if (!at->is_tuple || place < 0 || place >= std::ssize(*at->elements)) return std::nullopt;
      for (size_t k = 0; k < static_cast<size_t>(place); ++k) leaf += leaf_count((*at->elements)[k]);
      at = &(*at->elements)[static_cast<size_t>(place)];
    }
    return at->is_tuple ? std::nullopt : std::optional(leaf);
  }

  const Computation& entry_;
  std::vector<ModuleParameter> parameters_;
  std::vector<Shape> results_;
};

// Arrays of a leaf: one that is whole, or one a device.
using LeafArrays = std::vector<Array>;

struct Executed {
  std::vector<LeafArrays> results;
  double wall_s = 0;
};

// One step of the program that the numbers were computed with.
Result<Executed> execute(const ModuleNumbers& numbers, const std::vector<LeafArrays>& arguments,
                         const StepRequest& request) {
  Executed out;
  if (const auto made = partitioned_stage(numbers.computed)) {
    std::vector<Array> whole;
    for (const LeafArrays& leaf : arguments) whole.push_back(leaf.front());
    TRY(PartitionedResult result, run_partitioned(*made, whole, request.workers, request.limits));
    out.wall_s = result.wall_s;
    for (Array& leaf : result.leaves) out.results.push_back({std::move(leaf)});
    return out;
  }
  const Program& program = *numbers.computed->program;
  const auto devices = static_cast<size_t>(program.mesh.device_count());
  std::vector<LeafArrays> each;
  for (const LeafArrays& leaf : arguments)
    each.push_back(leaf.size() == devices ? leaf : LeafArrays(devices, leaf.front()));
  TRY(out.results, run_on_devices(program, each, request.workers, request.limits, &out.wall_s));
  return out;
}

// The scalars that do not carry over: what a loop prints.
std::vector<size_t> kept_scalars(const ModuleNumbers& numbers, const std::vector<CarriedLeaf>& carried) {
  std::vector<size_t> out;
  for (size_t k = 0; k < numbers.results.size(); ++k) {
    const Shape& shape = numbers.results[k].shape;
    if (shape.dims.empty() && is_floating(shape.type) &&
        std::ranges::count(carried, k, &CarriedLeaf::result) == 0)
      out.push_back(k);
  }
  return out;
}

}  // namespace

Result<std::vector<CarriedLeaf>> carried_leaves(const Program& module, const StepLoop& loop) {
  std::vector<CarriedLeaf> out;
  if (!loop.steps) return out;
  const Leaves leaves(module);
  for (const CarriedResult& said : loop.carry) {
    TRY(const size_t result, leaves.result(said.result));
    TRY(const size_t argument, leaves.argument(said.argument));
    if (std::ranges::count(out, argument, &CarriedLeaf::argument) > 0)
      return invalid(fmt::format("argument '{}' is carried twice", said.argument), "--carry");
    TRY(out.emplace_back(), leaves.carried(result, argument));
  }
  for (const InputOutputAlias& alias : aliases_of(module))
    if (const auto leaf = leaves.aliased(alias);
        leaf && std::ranges::count(out, leaf->argument, &CarriedLeaf::argument) == 0)
      out.push_back(*leaf);
  std::ranges::stable_sort(out, {}, &CarriedLeaf::result);
  return out;
}

Result<void> check_loop(const StepLoop& loop) {
  const int64_t warmup = loop.warmup.value_or(0);
  if (loop.steps && warmup >= *loop.steps)
    return invalid(
        fmt::format("got {} steps of warm-up, expected fewer than the {} steps", warmup, *loop.steps),
        "--warmup");
  return {};
}

std::vector<std::string> ignored_without_steps(const StepLoop& loop) {
  std::vector<std::string> out;
  if (loop.steps) return out;
  if (!loop.annotate.empty()) out.emplace_back("annotate");
  if (!loop.carry.empty()) out.emplace_back("carry");
  return out;
}

Result<RunSteps> simulated_steps(const StepLoop& loop, Picoseconds step) {
  RunSteps out;
  out.marker = loop.annotate.empty() ? kStepMarker : loop.annotate;
  const int64_t count = loop.steps.value_or(0);
  if (!checked_multiply(count, step))
    return invalid(fmt::format("{} steps of {} are longer than any clock", count, format_picoseconds(step)),
                   "--steps", "take fewer steps");
  for (int64_t k = 0; k < count; ++k) {
    RunStep& it = out.steps.emplace_back();
    it.number = k;
    it.warmup = k < loop.warmup.value_or(0);
    it.simulated = {k * step, (k + 1) * step};
  }
  return out;
}

Result<void> execute_steps(const StepRequest& request, ModuleNumbers& numbers, RunSteps& steps) {
  std::vector<LeafArrays> state;
  for (const ModuleArgument& a : numbers.arguments) state.push_back(a.arrays);
  const std::vector<size_t> scalars = kept_scalars(numbers, request.carried);
  for (const size_t leaf : scalars) steps.values.push_back(numbers.results[leaf].name);
  Executed last;
  for (RunStep& step : steps.steps) {
    if (request.limits.stop.stop_requested()) return cancelled();
    TRY(last, execute(numbers, state, request));
    step.wall_s = last.wall_s;
    for (const size_t leaf : scalars) step.values.push_back(last.results[leaf].front().at(0));
    for (const CarriedLeaf& it : request.carried) state[it.argument] = last.results[it.result];
    if (request.progress)
      request.progress(static_cast<double>(step.number + 1) / static_cast<double>(steps.steps.size()));
  }
  for (size_t k = 0; k < numbers.results.size(); ++k) {
    LeafArrays& arrays = last.results[k];
    if (std::ranges::all_of(arrays, [&](const Array& a) { return a == arrays.front(); })) arrays.resize(1);
    numbers.results[k].arrays = std::move(arrays);
  }
  const std::string kernel = numbers.measured.kernel;
  numbers.measured = measured_of(steps);
  numbers.measured.kernel = kernel;
  return {};
}

}  // namespace shardscope::inline session
