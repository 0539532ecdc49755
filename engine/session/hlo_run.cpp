// SPDX-License-Identifier: Apache-2.0
#include "engine/session/hlo_run.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "engine/backend/compiler_estimate.h"
#include "engine/backend/fuse.h"
#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/base/utc_now.h"
#include "engine/numerics/plan/plain_program.h"
#include "engine/numerics/rules/run_on_devices.h"
#include "engine/partition/types/manual_regions.h"
#include "engine/plan/timed_form.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/analysis/scheduled.h"
#include "engine/request/fields.h"
#include "engine/schedule/schedule.h"
#include "engine/session/hlo_numbers.h"
#include "engine/session/module_face.h"
#include "engine/session/module_part.h"
#include "engine/session/module_steps.h"
#include "engine/session/modules/compiled_memory.h"
#include "engine/session/modules/compiled_mesh.h"
#include "engine/session/modules/module_arrays.h"
#include "engine/session/proof/module_check.h"

namespace shardscope::inline session {
namespace {

// The sizes of the first product, for tables of runs; 1 without one.
MatmulProblem first_product(const Program& module) {
  MatmulProblem out{1, 1, 1, ElementType::f32, ElementType::f32};
  for (const Computation& c : module.computations)
    for (const Instruction& i : c.instructions) {
      if (i.opcode != Opcode::dot) continue;
      const DotSize size = dot_size(c, i);
      const ElementType type = c.at(i.operands[0]).shape.type;
      return {size.m, size.k, size.n, type, type};
    }
  return out;
}

std::vector<ModuleArray> arrays_of(const Program& module, const Partitioned* made) {
  std::vector<ModuleArray> out;
  if (made != nullptr) {
    for (size_t k = 0; k < made->parameters.size(); ++k)
      out.push_back({ModuleArray::Role::parameter, made->parameter_names[k], made->parameter_shapes[k],
                     made->parameters[k]});
    for (size_t k = 0; k < made->results.size(); ++k)
      out.push_back({ModuleArray::Role::result, result_name(k, made->results.size()), made->result_shapes[k],
                     made->results[k]});
    return out;
  }
  for (ModuleParameter& p : module_parameters(module))
    out.push_back(
        {ModuleArray::Role::parameter, std::move(p.name), std::move(p.shape), std::move(p.sharding)});
  const Instruction& root = module.entry_computation().root_instruction();
  const std::vector<Shape> results = result_leaves(module);
  for (size_t k = 0; k < results.size(); ++k)
    out.push_back({ModuleArray::Role::result, result_name(k, results.size()), results[k],
                   root.shape.is_tuple ? std::nullopt : root.sharding});
  return out;
}

// What was asked, laid over the module's own mesh, whose wraps the chip decides.
Result<Experiment> experiment_of(const Program& module, const Mesh& own, const ModuleRunOptions& options) {
  Experiment out;
  out.title = module.name;
  out.mesh = own;
  out.chip_wraps = true;
  for (const Field& field : fields()) {
    const auto typed = options.asked.find(field.key);
    if (typed == options.asked.end() || !field.has(kModule) || !field.experiment) continue;
    Result<void> fine = check_range(field, typed->second);
    if (fine.ok()) fine = put(field, out, typed->second);
    if (!fine.ok()) return placed(fine.error(), "--" + field.key);
  }
  if (out.mesh.device_count() == own.device_count()) return out;
  return invalid(fmt::format("the module runs on {}, the mesh has {}", counted(own.device_count(), "device"),
                             out.mesh.device_count()),
                 "--mesh", "give a mesh of as many, or leave it out");
}

Result<std::shared_ptr<Run>> run_of(const Program& module, Experiment experiment, const Hardware& hardware) {
  TRY(PlacedMesh machine, machine_of(experiment, {}, hardware));
  auto run = std::make_shared<Run>();
  run->strategy = "hlo";
  run->kind = StrategyKind::example;
  run->asked.label = module.name;
  run->mesh = std::move(machine.mesh);
  run->overlap = experiment.overlap;
  run->ignored_options = ignored_without_steps(experiment.loop);
  run->collective = experiment.collective;
  run->hardware = std::move(machine.hardware);
  run->problem = first_product(module);
  run->experiment = std::move(experiment);
  run->created = utc_now();
  return run;
}

// What a program says of its arrays is in words of its own mesh's axes.
void take_mesh(const Mesh& mesh, Program& program) {
  if (program.mesh.text() != mesh.text()) {
    program.inputs.clear();
    program.output.reset();
    program.further_outputs.clear();
    program.definitions.clear();
  }
  program.mesh = mesh;
}

// A name of the module's own text stands for what was made of that instruction, with the same operation.
template <class T>
void rename_to_made(const Partitioned& partitioned, Opcode opcode, std::vector<T>& said) {
  const ModuleStage& module = first_stage(partitioned);
  std::vector<T> out;
  for (const T& one : said) {
    const auto source = module.program.number_of(one.name);
    std::vector<int32_t> made = source ? made_in(partitioned, module, *source) : std::vector<int32_t>();
    std::erase_if(made, [&](int32_t number) { return partitioned.program.at(number).opcode != opcode; });
    std::ranges::sort(made);
    for (const int32_t number : made) {
      out.push_back(one);
      out.back().name = partitioned.program.at(number).name;
    }
    if (made.empty()) out.push_back(one);
  }
  said = std::move(out);
}

ModuleTiming in_names_of(const Partitioned& partitioned, ModuleTiming timing) {
  rename_to_made(partitioned, Opcode::conditional, timing.take);
  rename_to_made(partitioned, Opcode::while_, timing.trip_counts);
  rename_to_made(partitioned, Opcode::custom_call, timing.custom_calls);
  return timing;
}

// Says it where kernels are not the module's own.
void say_compiler(const Program& given, const Program& compiled, const Run& run,
                  std::vector<std::string>& assumed) {
  if (is_fused(given) || !is_fused(compiled)) return;
  const CompileAs as = run.experiment.module.compile_as.value_or(compiler_of(run.hardware));
  assumed.push_back(
      fmt::format("fused as XLA's compiler for {} does; compile-as none times each operation alone",
                  as == CompileAs::xla_tpu   ? "TPUs"
                  : as == CompileAs::xla_gpu ? "GPUs"
                                             : "CPUs"));
}

// Asynchronous pairs are done at their start, loops and branches written out: overlap follows from data
// dependencies anyway. What is timed is the program that the run shows. Its devices' peaks are what the
// compiled module needs, which does not depend on when what runs: that is the answer.
Result<MemoryUse> time_program(Program program, const Partitioned* partitioned, std::stop_token stop,
                               Run& run) {
  take_mesh(run.mesh, program);
  elide_constants(program);
  ModuleTiming& timing = run.experiment.module;
  if (partitioned != nullptr) timing = in_names_of(*partitioned, std::move(timing));
  std::vector<std::string> compiled;
  TRY(const Program plain, compiled_form(program, run.hardware, timing.compile_as, stop));
  say_compiler(program, plain, run, compiled);
  TRY(TimedForm form, timed_form(plain, run.hardware, timing));
  if (partitioned != nullptr) say_arrays(*partitioned, form.program);
  ScheduleOptions how;
  how.overlap = run.overlap;
  how.collective = run.collective;
  how.overrides = run.experiment.overrides;
  how.module = timing;
  Result<Timeline> timed = schedule(form.program, run.hardware, how, stop);
  if (!timed.ok()) return timed.error();
  run.timeline = *std::move(timed);
  run.program = std::move(form.program);
  TRY(MemoryUse memory, compiled_memory(program, run.hardware, timing.compile_as, stop));
  for (DeviceTotals& device : run.timeline.totals) device.peak_bytes = memory.bytes();
  auto& assumed = run.timeline.assumptions;
  assumed.insert(assumed.end(), compiled.begin(), compiled.end());
  if (partitioned != nullptr)
    assumed.insert(assumed.end(), partitioned->notes.begin(), partitioned->notes.end());
  assumed.insert(assumed.end(), form.assumptions.begin(), form.assumptions.end());
  return memory;
}

// Whether it is what was asked for, an algorithm, a broken link or a branch, that cannot be timed.
bool is_what_was_asked(const Program& program, Run run, std::stop_token stop) {
  run.collective = CollectiveAlgorithm::automatic;
  run.experiment.overrides = {};
  run.experiment.module = {.compile_as = run.experiment.module.compile_as};
  return time_program(program, nullptr, stop, run).ok();
}

// All of it, or as far as its numbers go, or not at all; a module without numbers has to be timed.
Result<void> time_module(const ModuleNumbers* numbers, std::stop_token stop, ModuleRun& out, Run& run) {
  const Program whole = run.program;
  out.compiler_estimate_s = compiler_estimate_s(whole, run.hardware);
  Result<MemoryUse> timed = time_program(whole, partitioned_stage(out.stages).get(), stop, run);
  if (timed.ok()) {
    out.memory = *std::move(timed);
    return {};
  }
  if (timed.error().kind == ErrorKind::cancelled || numbers == nullptr) return timed.error();
  if (is_what_was_asked(whole, run, stop)) return timed.error();
  if (out.part) {
    const StagePtr& part = numbers->computed;
    Result<MemoryUse> as_far = time_program(*part->program, partitioned_stage(part).get(), stop, run);
    if (!as_far.ok() && as_far.error().kind == ErrorKind::cancelled) return as_far.error();
    if (as_far.ok()) {
      out.memory = *std::move(as_far);
      run.timeline.assumptions.push_back("timed " + out.part->words);
      out.stages = part;
      return {};
    }
  }
  run.untimed = timed.error();
  return {};
}

// Of the whole of what was given; constants that its text leaves out are drawn, and named in the report.
Result<ModuleNumbers> numbers_of(const StagePtr& given, const ModuleRunOptions& options,
                                 const PartitionOptions& split, const ModuleRun& so_far,
                                 std::stop_token stop) {
  const Run& run = *so_far.run;
  Program whole = *given->program;
  const auto drawn = draw_elided_constants(whole, run.experiment.seed);
  const auto made = partitioned_stage(so_far.stages);
  NumbersRequest request;
  request.partition = split;
  request.partition.devices = run.mesh.device_count();
  if (drawn.empty() && options.cut.empty()) request.made = made;
  request.came_partitioned = made == nullptr;
  request.ranks = options.ranks;
  request.arguments.typed = options.arguments;
  request.arguments.seed = run.experiment.seed;
  request.arguments.fractions = run.experiment.loop.steps.has_value();  // whole numbers drown a training loop
  if (request.came_partitioned) request.arguments.devices = run.mesh.device_count();
  request.cut = options.cut;
  const StagePtr module = drawn.empty() ? given : read_stage(std::move(whole));
  TRY(ModuleNumbers out,
      check_module(module, request, options.check, options.values, Workers(options.threads), stop));
  if (!drawn.empty()) out.report.warnings.push_back(drawn_words(drawn, run.experiment.seed));
  return out;
}

constexpr double kMostLoopSeconds = 60;  // that steps may take without being asked for

// Why steps are not executed; "": they are.
std::string why_not_executed(const ModuleNumbers* numbers, const ModuleRunOptions& options, const Run& run) {
  if (numbers == nullptr) return "numbers are off";
  if (numbers->part) return "numbers go only " + numbers->part->words;
  if (numbers->results.size() != result_leaves(*numbers->computed->program).size())
    return numbers->report.reason.empty() ? "not every result has numbers" : numbers->report.reason;
  const int64_t steps = run.experiment.loop.steps.value_or(0);
  const double seconds = numbers->measured.wall_s * static_cast<double>(steps);
  if (options.values || options.check == CheckMode::full || seconds <= kMostLoopSeconds) return "";
  return fmt::format("{} steps take about {} here: say --check full", steps, format_seconds(seconds));
}

// Between steps an array goes from where a result is to where a parameter is.
void say_moves(const std::vector<CarriedLeaf>& carried, const Partitioned* made, RunSteps& steps) {
  if (carried.empty())
    steps.notes.emplace_back("nothing carries over from step to step: all are of the same arguments");
  if (made == nullptr) return;
  for (const CarriedLeaf& it : carried) {
    const HloSharding &from = made->results[it.result], &to = made->parameters[it.argument];
    if (from != to)
      steps.notes.push_back(
          fmt::format("{}, which has another sharding ({} to {}): what that moves is not timed", it.words,
                      from.text(), to.text()));
  }
}

// The steps of a loop: timed one behind the other, and executed where all results have numbers.
Result<void> take_steps(const std::vector<CarriedLeaf>& carried, const ModuleRunOptions& options,
                        std::stop_token stop, ModuleNumbers* numbers, ModuleRun& out, Run& run) {
  const StepLoop& loop = run.experiment.loop;
  if (!loop.steps) return {};
  TRY(RunSteps steps, simulated_steps(loop, run.untimed ? 0 : run.timeline.total));
  for (const CarriedLeaf& it : carried) steps.carried.push_back(it.words);
  say_moves(carried, partitioned_stage(out.stages).get(), steps);
  if (const std::string why = why_not_executed(numbers, options, run); !why.empty()) {
    steps.notes.push_back("the steps are not executed: " + why);
  } else {
    const Workers workers(options.threads);
    StepRequest request{loop, carried, workers, RunLimits(std::move(stop)), {}};
    request.limits.ranks = options.ranks;
    if (options.progress)
      request.progress = [&](double f) { options.progress({run.asked.label + ": steps", 0.8 + 0.2 * f}); };
    TRY_VOID(execute_steps(request, *numbers, steps));
  }
  run.steps = std::move(steps);
  return {};
}

// What is timed, behind what it was made from.
StagePtr timed_stage(const RunPtr& run, const StagePtr& before) {
  SharedProgram program(std::shared_ptr<const Program>(run, &run->program));
  StageLinks links = links_by_provenance(program, before->program);
  return shared_stage(ModuleStage{StageKind::timed, std::move(program), before, std::move(links)});
}

}  // namespace

bool is_partitioned(const Program& module) {
  if (has_manual_regions(module)) return false;
  if (is_scheduled(module)) return true;
  for (const Computation& c : module.computations) {
    for (const Instruction& i : c.instructions)
      if (is_collective(i.opcode) || i.opcode == Opcode::partition_id) return true;
  }
  return false;
}

Result<PartitionOptions> asked_partition(const ModuleRunOptions& options) {
  PartitionOptions out = options.partition;
  Experiment probe;
  const auto is_said = [&](const char* key) -> Result<bool> {
    const auto typed = options.asked.find(key);
    if (typed == options.asked.end()) return false;
    const Result<void> fine = put(*find_field(key), probe, typed->second);
    if (!fine.ok()) return placed(fine.error(), std::string("--") + key);
    return true;
  };
  TRY(const bool whose, is_said("propagation"));
  if (whose) out.propagation = probe.propagation;
  TRY(const bool results, is_said("results"));
  if (results) out.results = probe.results;
  TRY(const bool who, is_said("partitioner"));
  if (who) out.partitioner = *probe.partitioner;
  TRY(const bool mesh, is_said("mesh"));
  if (mesh && !out.devices) out.devices = probe.mesh.device_count();
  return out;
}

Result<ModuleRun> execute_module(const StagePtr& read, const ModuleRunOptions& options,
                                 std::stop_token stop) {
  StagePtr given = first_stage(read);
  auto replicas = replicas_as_devices(*given->program, options.partition.devices);
  if (replicas) given = read_stage(*std::move(replicas));
  TRY_VOID(verify(*given->program));
  ModuleRun out;
  out.stages = read;
  TRY(PartitionOptions split, asked_partition(options));
  split.stop = stop;
  Program module = *given->program;
  if (auto part = options.cut.empty() ? std::nullopt : part_without(module, {})) {
    module = std::move(part->program);
    out.stages = read_stage(module);
  }
  const bool came_partitioned = is_partitioned(module);
  if (came_partitioned) {
    module.mesh = compiled_mesh(module);
  } else {
    TRY(Partitioned made, partition(out.stages, split));
    out.stages = shared_stage(std::move(made));
  }
  const auto made = partitioned_stage(out.stages);
  const Program& program = made != nullptr ? *made->program : module;
  TRY(Experiment experiment, experiment_of(module, program.mesh, options));
  TRY(const Hardware hardware, find_hardware(experiment.hardware));
  TRY_VOID(check_loop(experiment.loop));
  TRY(const std::vector<CarriedLeaf> carried, carried_leaves(module, experiment.loop));
  TRY(const std::shared_ptr<Run> run, run_of(module, std::move(experiment), hardware));
  run->program = program;
  take_mesh(run->mesh, run->program);
  run->module = module_face(run->program, made.get());
  out.run = run;
  out.arrays = arrays_of(module, made.get());
  const auto tell = [&](const char* what, double fraction) {
    if (options.progress) options.progress({module.name + ": " + what, fraction});
  };
  std::optional<ModuleNumbers> numbers;
  if (options.check != CheckMode::off) {
    tell("numbers", 0);
    TRY(numbers, numbers_of(given, options, split, out, stop));
    run->numerics = numbers->report;
    out.part = numbers->part;
  }
  tell("timing", 0.8);
  TRY_VOID(time_module(numbers ? &*numbers : nullptr, stop, out, *run));
  TRY_VOID(take_steps(carried, options, stop, numbers ? &*numbers : nullptr, out, *run));
  if (numbers) {
    run->measured = numbers->measured;
    out.arguments = std::move(numbers->arguments);
    out.results = std::move(numbers->results);
  }
  if (!run->untimed) out.stages = timed_stage(run, out.stages);
  if (options.workspace && !run->untimed) options.workspace->enter(run);
  tell("done", 1);
  return out;
}

Result<ModuleRun> execute_module(const Program& module, const ModuleRunOptions& options,
                                 std::stop_token stop) {
  return execute_module(read_stage(module), options, std::move(stop));
}

}  // namespace shardscope::inline session
