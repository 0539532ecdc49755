// SPDX-License-Identifier: Apache-2.0
#include "engine/session/hlo_run.h"

#include <algorithm>
#include <chrono>

#include "engine/numerics/product/micro_kernel.h"
#include "engine/numerics/rules/plain_program.h"
#include "engine/numerics/rules/run_on_devices.h"
#include "engine/partition/types/manual_regions.h"
#include "engine/program/analysis/analysis.h"
#include "engine/schedule/schedule.h"
#include "engine/schedule/timed_form.h"
#include "engine/session/created.h"
#include "engine/session/hlo_proof.h"

namespace shardscope {
namespace {

// The sizes of the first product, for tables of runs; 1 without one.
MatmulProblem first_product(const Program& module) {
  MatmulProblem out{1, 1, 1, ElementType::f32, ElementType::f32};
  for (const Computation& c : module.computations) {
    for (const Instruction& i : c.instructions) {
      if (i.opcode != Opcode::dot) continue;
      const DotSize size = dot_size(c, i);
      const ElementType type = c.at(i.operands[0]).shape.type;
      return {size.m, size.k, size.n, type, type};
    }
  }
  return out;
}

Measured once(double wall_s) {
  Measured out;
  out.wall_s = wall_s;
  out.mean_s = out.median_s = out.min_s = out.max_s = out.p95_s = out.p99_s = out.wall_s;
  out.repeat = 1;
  out.kernel = kernel_name(best_isa());
  return out;
}

// Every device gets numbers of its own.
Result<void> run_as_it_is(const Program& program, uint64_t seed, const Workers& workers, std::stop_token stop,
                          Run& run) {
  const int64_t devices = program.mesh.device_count();
  std::vector<std::vector<Array>> arguments;
  for (int64_t d = 0; d < devices; ++d) {
    TRY(std::vector<Array> own, module_arguments(program, seed + static_cast<uint64_t>(d), workers));
    arguments.resize(own.size());
    for (size_t n = 0; n < own.size(); ++n) arguments[n].push_back(std::move(own[n]));
  }
  const auto start = std::chrono::steady_clock::now();
  TRY_VOID(run_on_devices(program, arguments, workers, stop));
  run.measured = once(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  run.numerics.warnings.push_back(
      "executed on every device; a module that came partitioned has nothing to be "
      "compared with");
  return {};
}

Result<void> run_and_compare(const Program& module, const Partitioned& partitioned, uint64_t seed,
                             const Workers& workers, std::stop_token stop, Run& run) {
  TRY(const std::vector<Array> arguments, module_arguments(module, seed, workers));
  TRY(PartitionProof proof, prove(module, partitioned, arguments, workers, stop));
  run.measured = once(proof.wall_s);
  run.numerics = std::move(proof.report);
  return {};
}

// An array of the module as the mesh cuts it; none: not along its axes, or not evenly.
std::optional<ArrayInfo> array_info(const Mesh& mesh, const std::string& symbol, ArrayRole role,
                                    const Shape& shape, const HloSharding& sharding) {
  const auto named = sharding.to_named(mesh);
  if (!named.ok() || !named->unreduced().empty() || !named->shard_shape(shape.dims).ok()) return std::nullopt;
  ArrayInfo out;
  out.role = role;
  out.dims = shape.dims;
  out.spec = named->spec();
  out.symbol = symbol;
  return out;
}

// Says in the program which global arrays its shards make up, for the views; all of them or none.
void say_arrays(const Partitioned& partitioned, Program& program) {
  const Computation& entry = program.entry_computation();
  for (const Instruction& i : entry.instructions)
    if (i.opcode == Opcode::parameter && i.shape.is_tuple) return;
  if (entry.root_instruction().shape.is_tuple || partitioned.results.size() != 1) return;
  std::vector<ArrayInfo> inputs;
  for (size_t k = 0; k < partitioned.parameters.size(); ++k) {
    auto info = array_info(program.mesh, partitioned.parameter_names[k], ArrayRole::operand,
                           partitioned.parameter_shapes[k], partitioned.parameters[k]);
    if (!info) return;
    inputs.push_back(*std::move(info));
  }
  const auto result = array_info(program.mesh, "result", ArrayRole::result, partitioned.result_shapes[0],
                                 partitioned.results[0]);
  if (!result) return;
  Program described = program;
  described.inputs = std::move(inputs);
  described.output = result;
  if (verify(described).ok()) program = std::move(described);
}

// Asynchronous pairs are done at their start, loops and branches written out: overlap follows from data
// dependencies anyway. What is timed is the program that the run shows.
Result<void> time_module(const ModuleRun& made, std::stop_token stop, Run& run) {
  TRY(TimedForm form, timed_form(plain_program(run.program).value_or(run.program), run.hardware));
  if (made.partitioned) say_arrays(*made.partitioned, form.program);
  TRY(run.timeline, schedule(form.program, run.hardware, {}, stop));
  run.program = std::move(form.program);
  run.timeline.assumptions.insert(run.timeline.assumptions.end(), form.assumptions.begin(),
                                  form.assumptions.end());
  return {};
}

std::shared_ptr<Run> run_of(const Program& module, const ModuleRunOptions& options, Hardware hardware) {
  auto run = std::make_shared<Run>();
  run->strategy = "hlo";
  run->kind = StrategyKind::example;
  run->asked.label = run->experiment.title = module.name;
  run->experiment.seed = options.seed;
  run->hardware = std::move(hardware);
  run->problem = first_product(module);
  run->created = utc_now();
  return run;
}

}  // namespace

bool is_partitioned(const Program& module) {
  if (has_manual_regions(module)) return false;
  for (const VerbatimAttribute& a : module.verbatim)
    if (a.key == "is_scheduled" && a.value == "true") return true;
  for (const Computation& c : module.computations) {
    for (const Instruction& i : c.instructions)
      if (is_collective(i.opcode) || i.opcode == Opcode::partition_id) return true;
  }
  return false;
}

Result<ModuleRun> execute_module(const Program& module, const ModuleRunOptions& options,
                                 std::stop_token stop) {
  TRY_VOID(verify(module));
  TRY(const Hardware hardware, find_hardware(options.hardware));
  const auto tell = [&](const char* what, double fraction) {
    if (options.progress) options.progress({module.name + ": " + what, fraction});
  };
  ModuleRun out;
  const std::shared_ptr<Run> run = run_of(module, options, hardware);
  run->program = module;
  if (!is_partitioned(module)) {
    TRY(out.partitioned, partition(module, options.partition));
    run->program = out.partitioned->program;
  }
  run->mesh = run->program.mesh;
  if (options.check) {
    tell("numbers", 0);
    const Workers workers(options.threads);
    TRY_VOID(out.partitioned ? run_and_compare(module, *out.partitioned, options.seed, workers, stop, *run)
                             : run_as_it_is(run->program, options.seed, workers, stop, *run));
  }
  tell("timing", 0.8);
  const Result<void> timed = time_module(out, stop, *run);
  if (!timed.ok() && (timed.error().kind == ErrorKind::cancelled || !options.check)) return timed.error();
  if (!timed.ok()) run->untimed = timed.error();
  if (options.workspace && !run->untimed) {
    TRY(run->id, options.workspace->reserve_id());
    TRY_VOID(options.workspace->record(run));
  }
  tell("done", 1);
  out.run = run;
  return out;
}

}  // namespace shardscope
