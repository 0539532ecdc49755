// SPDX-License-Identifier: Apache-2.0
#include "engine/session/hlo_numbers.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/numerics/product/micro_kernel.h"
#include "engine/numerics/rules/run_on_devices.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/initial_values.h"
#include "engine/session/module_part.h"

namespace shardscope {
namespace {

constexpr int kMostTries = 64;

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
Result<void> run_as_it_is(const Program& program, const Workers& workers, std::stop_token stop,
                          ModuleNumbers& out) {
  const auto devices = static_cast<size_t>(program.mesh.device_count());
  std::vector<std::vector<Array>> arguments;
  for (const ModuleArgument& a : out.arguments)
    arguments.push_back(a.arrays.size() == 1 ? std::vector<Array>(devices, a.arrays.front()) : a.arrays);
  const auto start = std::chrono::steady_clock::now();
  TRY(std::vector<std::vector<Array>> results, run_on_devices(program, arguments, workers, stop));
  out.measured = once(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  for (std::vector<Array>& leaf : results) {
    if (leaf.empty() || leaf.front().data() == nullptr) continue;  // a token
    if (std::ranges::all_of(leaf, [&](const Array& a) { return a == leaf.front(); })) leaf.resize(1);
    ModuleResult& result = out.results.emplace_back();
    result.shape = Shape::array(leaf.front().type(), leaf.front().dims());
    result.arrays = std::move(leaf);
  }
  return {};
}

void add_results(std::vector<Array> leaves, ModuleNumbers& out) {
  for (size_t k = 0; k < leaves.size(); ++k)
    out.results.push_back(
        {"", out.partitioned->result_shapes[k], out.partitioned->results[k], {std::move(leaves[k])}});
}

Result<void> run_and_compare(const Program& module, const NumbersRequest& request, const Workers& workers,
                             std::stop_token stop, ModuleNumbers& out) {
  const bool whole = request.whole != nullptr && &module == request.of;
  if (whole) {
    out.partitioned = *request.whole;
  } else {
    PartitionOptions options = request.partition;
    options.spread.reset();  // it is of another module
    TRY(out.partitioned, partition(module, options));
  }
  std::vector<Array> arguments;
  for (const ModuleArgument& a : out.arguments) arguments.push_back(a.arrays.front());
  if (!request.compare) {
    TRY(PartitionedResult result, run_partitioned(*out.partitioned, arguments, workers, stop));
    out.measured = once(result.wall_s);
    add_results(std::move(result.leaves), out);
    return {};
  }
  TRY(PartitionProof proof, prove(module, *out.partitioned, arguments, workers, stop, request.types));
  out.measured = once(proof.wall_s);
  out.report = std::move(proof.report);
  out.bit_equal = proof.bit_equal;
  add_results(std::move(proof.leaves), out);
  return {};
}

Result<ModuleNumbers> attempt(const Program& module, const NumbersRequest& request, const Workers& workers,
                              std::stop_token stop) {
  ModuleNumbers out;
  out.program = module;
  TRY(out.arguments, make_module_arguments(module, request.arguments, workers));
  TRY_VOID(request.came_partitioned ? run_as_it_is(module, workers, stop, out)
                                    : run_and_compare(module, request, workers, stop, out));
  for (const InitialValue& start : initial_values(module)) {
    const ModuleArgument& a = out.arguments[start.leaf];
    if (a.words == start.words)
      out.report.warnings.push_back(
          fmt::format("parameter({}) {} is {}", a.parameter.number, a.parameter.name, a.words));
  }
  return out;
}

// "%x" of an error that names an instruction.
std::string named_in(const Error& error) {
  return error.where.starts_with('%') ? error.where.substr(1, error.where.find(' ')) : "";
}

// What the report says of a computation that is not of the whole module.
void say_part(const ModulePart& part, const std::string& why, ModuleNumbers& out) {
  out.part = ComputedPart{part.instructions, part.of, part.ends, why, words(part, why)};
  if (out.report.checked) out.report.reference += ", " + out.part->words;
}

}  // namespace

std::string drawn_words(const std::vector<std::string>& drawn, uint64_t seed) {
  const std::vector<std::string> named(
      drawn.begin(), drawn.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(drawn.size(), 6)));
  return fmt::format("{} constant{} whose text is left out ({{...}}): drawn from seed {}: {}{}", drawn.size(),
                     drawn.size() == 1 ? "" : "s", seed, join(named, ", "),
                     drawn.size() > named.size() ? ", …" : "");
}

Result<ModuleNumbers> compute_module(const Program& module, const NumbersRequest& request,
                                     const Workers& workers, std::stop_token stop) {
  std::set<std::string> stopped;
  std::vector<std::string> why;
  if (!request.cut.empty()) why.push_back(request.cut);
  for (const auto& [name, reason] : incomputable(module)) {
    stopped.insert(name);
    why.push_back(reason);
  }
  for (int tries = 0; tries < kMostTries; ++tries) {
    std::optional<ModulePart> part;
    if (!why.empty()) part = part_without(module, stopped);
    if (part) TRY_VOID(verify(part->program));
    // Nothing is left: the error of the whole says why.
    Result<ModuleNumbers> out = attempt(part ? part->program : module, request, workers, stop);
    if (out.ok()) {
      name_results(part, out->results);
      if (request.came_partitioned)
        out->report.warnings.push_back(
            fmt::format("executed on every device{}; a module that came partitioned has nothing to be "
                        "compared with",
                        part ? " " + words(*part, join(why, "; ")) : ""));
      if (part) say_part(*part, join(why, "; "), *out);
      return out;
    }
    const Error& error = out.error();
    const std::set<std::string> more = entry_instructions_of(module, named_in(error));
    const bool known = std::ranges::includes(stopped, more);
    if (error.kind != ErrorKind::invalid || more.empty() || known) return error;
    if (!part_without(module, more)) return error;
    stopped.insert(more.begin(), more.end());
    why.push_back(fmt::format("{} ({})", error.what, error.where));
  }
  return invalid("too many instructions that cannot be computed", module.name, "say --check off");
}

}  // namespace shardscope
