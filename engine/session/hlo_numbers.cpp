// SPDX-License-Identifier: Apache-2.0
#include "engine/session/hlo_numbers.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/numerics/product/micro_kernel.h"
#include "engine/numerics/rules/run_on_devices.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/initial_values.h"
#include "engine/session/module_part.h"

namespace shardscope::inline session {
namespace {

Measured once(double wall_s) {
  Measured out;
  out.wall_s = wall_s;
  out.mean_s = out.median_s = out.min_s = out.max_s = out.p95_s = out.p99_s = out.wall_s;
  out.repeat = 1;
  out.kernel = kernel_name(best_isa());
  return out;
}

void name_results(const std::optional<ModulePart>& part, std::vector<ModuleResult>& results) {
  const bool by_ends = part && part->ends.size() == results.size();
  for (size_t k = 0; k < results.size(); ++k)
    results[k].name = by_ends ? part->ends[k] : result_name(k, results.size());
}

// Every device has what it is given, and else numbers of its own.
Result<void> run_as_it_is(const StagePtr& module, const Workers& workers, const RunLimits& limits,
                          ModuleNumbers& out) {
  const Program& program = *module->program;
  const auto devices = static_cast<size_t>(program.mesh.device_count());
  std::vector<std::vector<Array>> arguments;
  for (const ModuleArgument& a : out.arguments)
    arguments.push_back(a.arrays.size() == 1 ? std::vector<Array>(devices, a.arrays.front()) : a.arrays);
  const std::vector<Shape> shapes = result_leaves(program);
  std::vector<std::vector<Array>> arrays(shapes.size());
  TRY(const KnownResult known,
      run_known(program,
                [&](const Program& part, const std::vector<size_t>& leaves) -> Result<PartitionedResult> {
                  PartitionedResult result;
                  TRY(std::vector<std::vector<Array>> made,
                      run_on_devices(part, arguments, workers, limits, &result.wall_s));
                  result.leaves.resize(made.size());
                  for (size_t k = 0; k < made.size(); ++k) arrays[leaves[k]] = std::move(made[k]);
                  return result;
                }));
  out.measured = once(known.wall_s);
  out.stopped = known.stopped;
  out.instructions = known.instructions;
  out.computed = known.program ? read_stage(*known.program) : module;
  for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
    std::vector<Array>& of_devices = arrays[leaf];
    const bool is_known = known.unknown[leaf].empty();
    if (is_known && (of_devices.empty() || of_devices.front().data() == nullptr)) continue;  // a token
    ModuleResult& result = out.results.emplace_back();
    result.shape = Shape::array(shapes[leaf].type, shapes[leaf].dims);
    result.unknown = known.unknown[leaf];
    if (!is_known) continue;
    if (std::ranges::all_of(of_devices, [&](const Array& a) { return a == of_devices.front(); }))
      of_devices.resize(1);
    result.arrays = std::move(of_devices);
  }
  return {};
}

void add_results(const Partitioned& made, std::vector<Array> leaves, std::vector<std::string> unknown,
                 ModuleNumbers& out) {
  for (size_t k = 0; k < leaves.size(); ++k) {
    ModuleResult& result = out.results.emplace_back();
    result.shape = made.result_shapes[k];
    result.sharding = made.results[k];
    result.unknown = std::move(unknown[k]);
    if (result.unknown.empty()) result.arrays = {std::move(leaves[k])};
  }
}

// What the request says of the module, or it is partitioned now.
Result<std::shared_ptr<const Partitioned>> made_of(const StagePtr& module, const NumbersRequest& request) {
  if (request.made != nullptr && first_stage(request.made) == module) return request.made;
  TRY(Partitioned made, partition(module, request.partition));
  return shared_stage(std::move(made));
}

Result<void> run_and_compare(const StagePtr& module, const NumbersRequest& request, const Workers& workers,
                             const RunLimits& limits, ModuleNumbers& out) {
  TRY(const auto made, made_of(module, request));
  out.computed = made;
  std::vector<Array> arguments;
  for (const ModuleArgument& a : out.arguments) arguments.push_back(a.arrays.front());
  if (!request.compare) {
    TRY(KnownResult known, run_known(*made, [&](const Partitioned& part) {
          return run_partitioned(part, arguments, workers, limits);
        }));
    out.measured = once(known.wall_s);
    out.stopped = std::move(known.stopped);
    out.instructions = known.instructions;
    add_results(*made, std::move(known.leaves), std::move(known.unknown), out);
    return {};
  }
  TRY(PartitionProof proof, prove(*made, arguments, workers, limits, request.types));
  out.measured = once(proof.wall_s);
  out.report = std::move(proof.report);
  out.bit_equal = proof.bit_equal;
  out.stopped = std::move(proof.stopped);
  out.instructions = proof.instructions;
  add_results(*made, std::move(proof.leaves), std::move(proof.unknown), out);
  if (proof.known) out.computed = shared_stage(*std::move(proof.known));
  return {};
}

Result<ModuleNumbers> attempt(const StagePtr& module, const NumbersRequest& request, const Workers& workers,
                              const RunLimits& limits) {
  ModuleNumbers out;
  TRY(out.arguments, make_module_arguments(*module->program, request.arguments, workers));
  TRY_VOID(request.came_partitioned ? run_as_it_is(module, workers, limits, out)
                                    : run_and_compare(module, request, workers, limits, out));
  for (const InitialValue& start : initial_values(*module->program)) {
    const ModuleArgument& a = out.arguments[start.leaf];
    if (a.words == start.words)
      out.report.warnings.push_back(
          fmt::format("parameter({}) {} is {}", a.parameter.number, a.parameter.name, a.words));
  }
  return out;
}

// What the report says of a computation that is not of the whole module.
void say_part(const ModulePart& part, const std::string& why, ModuleNumbers& out) {
  out.part = ComputedPart{part.instructions, part.of, part.ends, why, words(part, why)};
  if (out.report.checked) out.report.reference += ", " + out.part->words;
}

// Where no result is known what stands before is still run and compared: values that nothing known reads.
Result<void> judge_before(const Program& module, const NumbersRequest& request, const Workers& workers,
                          const RunLimits& limits, ModuleNumbers& out) {
  std::set<std::string> stopped;
  for (const auto& [name, why] : out.stopped) stopped.merge(entry_instructions_of(module, name));
  const auto part = part_without(module, stopped);
  if (!part || stopped.empty()) return {};
  TRY_VOID(verify(part->program));
  Result<ModuleNumbers> before = attempt(read_stage(part->program), request, workers, limits);
  if (!before.ok()) return before.error().kind == ErrorKind::invalid ? Result<void>() : before.error();
  out.report = std::move(before->report);
  out.bit_equal = before->bit_equal;
  out.measured = before->measured;
  out.computed = std::move(before->computed);
  out.part = ComputedPart{part->instructions, part->of, part->ends, "", ""};
  return {};
}

constexpr size_t kMostSaid = 8;  // results that are not known, each with its reason

// Which results are not known, and why; how far the others go.
Result<void> say_unknown(const Program& module, const NumbersRequest& request, const Workers& workers,
                         const RunLimits& limits, ModuleNumbers& out) {
  std::vector<std::string> reasons;
  for (const auto& [name, why] : out.stopped) reasons.push_back(fmt::format("%{}: {}", name, why));
  const std::string why = join(reasons, "; ");
  ModulePart part{
      {}, out.instructions, static_cast<int64_t>(module.entry_computation().instructions.size()), {}};
  std::vector<std::string> said;
  for (const ModuleResult& r : out.results) {
    if (r.unknown.empty())
      part.ends.push_back(r.name);
    else if (said.size() < kMostSaid)
      said.push_back(fmt::format("{} is not known: {}", r.name, r.unknown));
  }
  const size_t unknown = out.results.size() - part.ends.size();
  if (unknown == 0) return {};
  if (unknown > said.size())
    said.push_back(say_count("{} more result is not known", "{} more results are not known",
                             static_cast<int64_t>(unknown - said.size())));
  if (part.ends.empty()) {
    TRY_VOID(judge_before(module, request, workers, limits, out));
    if (out.part) part = {{}, out.part->instructions, out.part->of, out.part->ends};
  }
  if (!part.ends.empty()) say_part(part, why, out);
  out.report.warnings.insert(out.report.warnings.end(), said.begin(), said.end());
  return {};
}

}  // namespace

std::string drawn_words(const std::vector<std::string>& drawn, uint64_t seed) {
  const std::vector<std::string> named(
      drawn.begin(), drawn.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(drawn.size(), 6)));
  return fmt::format("{} whose text is left out ({{...}}): drawn from seed {}: {}{}",
                     counted(drawn.size(), "constant"), seed, join(named, ", "),
                     drawn.size() > named.size() ? ", …" : "");
}

Result<ModuleNumbers> compute_module(const StagePtr& module, const NumbersRequest& request,
                                     const Workers& workers, const RunLimits& limits) {
  // Of a text that ends early the root is not there: its values that nothing reads are its results.
  std::optional<ModulePart> part;
  if (!request.cut.empty()) part = part_without(*module->program, {});
  if (part) TRY_VOID(verify(part->program));
  const StagePtr given = part ? read_stage(part->program) : module;
  TRY(ModuleNumbers out, attempt(given, request, workers, limits));
  name_results(part, out.results);
  if (part) say_part(*part, request.cut, out);
  TRY_VOID(say_unknown(*given->program, request, workers, limits, out));
  if (request.came_partitioned)
    out.report.warnings.push_back(fmt::format(
        "executed on every device{}; a module that came partitioned has nothing to be compared with",
        out.part ? " " + out.part->words : ""));
  return out;
}

}  // namespace shardscope::inline session
