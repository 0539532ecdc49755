// SPDX-License-Identifier: Apache-2.0
#include "engine/session/hlo_run.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string_view>

#include "engine/base/text.h"
#include "engine/base/utc_now.h"
#include "engine/numerics/plan/plain_program.h"
#include "engine/numerics/rules/run_on_devices.h"
#include "engine/partition/types/manual_regions.h"
#include "engine/program/analysis/analysis.h"
#include "engine/request/fields.h"
#include "engine/schedule/schedule.h"
#include "engine/schedule/timed_form.h"
#include "engine/session/hlo_numbers.h"
#include "engine/session/module_face.h"
#include "engine/session/module_part.h"
#include "engine/session/modules/compiled_mesh.h"
#include "engine/session/modules/module_arrays.h"
#include "engine/session/proof/module_check.h"

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

std::vector<ModuleArray> arrays_of(const Program& module, const std::optional<Partitioned>& made) {
  std::vector<ModuleArray> out;
  if (made) {
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
  return invalid(fmt::format("the module runs on {} devices, the mesh has {}", own.device_count(),
                             out.mesh.device_count()),
                 "--mesh", "give a mesh of as many, or leave it out");
}

std::shared_ptr<Run> run_of(const Program& module, Experiment asked, const Hardware& hardware) {
  auto run = std::make_shared<Run>();
  run->strategy = "hlo";
  run->kind = StrategyKind::example;
  run->asked.label = module.name;
  run->mesh = asked.chip_wraps ? with_chip_wraps(asked.mesh, hardware) : asked.mesh;
  run->overlap = asked.overlap;
  run->collective = asked.collective;
  run->hardware = hardware;
  if (asked.efficiency) run->hardware.compute.efficiency = static_cast<double>(*asked.efficiency) / 100;
  run->problem = first_product(module);
  run->experiment = std::move(asked);
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
void rename_to_made(const Program& program, const Partitioned& partitioned, Opcode opcode,
                    std::vector<T>& said) {
  std::vector<T> out;
  for (const T& one : said) {
    std::set<std::string_view> made;
    for (const MadeFor& link : partitioned.made_for)
      if (link.source == one.name) made.insert(link.name);
    bool renamed = false;
    for (const Computation& c : program.computations) {
      for (const Instruction& i : c.instructions) {
        if (i.opcode != opcode || !made.contains(i.name)) continue;
        out.push_back(one);
        out.back().name = i.name;
        renamed = true;
      }
    }
    if (!renamed) out.push_back(one);
  }
  said = std::move(out);
}

ModuleTiming in_names_of(const Program& program, const Partitioned& partitioned, ModuleTiming timing) {
  rename_to_made(program, partitioned, Opcode::conditional, timing.take);
  rename_to_made(program, partitioned, Opcode::while_, timing.trip_counts);
  rename_to_made(program, partitioned, Opcode::custom_call, timing.custom_calls);
  return timing;
}

// Asynchronous pairs are done at their start, loops and branches written out: overlap follows from data
// dependencies anyway. What is timed is the program that the run shows.
Result<void> time_program(Program program, const std::optional<Partitioned>& partitioned,
                          std::stop_token stop, Run& run) {
  take_mesh(run.mesh, program);
  elide_constants(program);
  ModuleTiming& timing = run.experiment.module;
  if (partitioned) timing = in_names_of(program, *partitioned, std::move(timing));
  TRY(TimedForm form,
      timed_form(plain_program(program, PlainFor::time).value_or(program), run.hardware, timing));
  if (partitioned) say_arrays(*partitioned, form.program);
  ScheduleOptions how;
  how.overlap = run.overlap;
  how.collective = run.collective;
  how.overrides = run.experiment.overrides;
  how.module = timing;
  Result<Timeline> timed = schedule(form.program, run.hardware, how, stop);
  if (!timed.ok()) return timed.error();
  run.timeline = *std::move(timed);
  run.program = std::move(form.program);
  auto& assumed = run.timeline.assumptions;
  if (partitioned) assumed.insert(assumed.end(), partitioned->notes.begin(), partitioned->notes.end());
  assumed.insert(assumed.end(), form.assumptions.begin(), form.assumptions.end());
  return {};
}

// Whether it is the algorithm that was asked for that cannot be timed.
bool is_the_algorithm(const Program& program, Run run, std::stop_token stop) {
  if (run.collective == CollectiveAlgorithm::automatic) return false;
  run.collective = CollectiveAlgorithm::automatic;
  return time_program(program, std::nullopt, stop, run).ok();
}

// The whole of it, or as far as its numbers go, or not at all; nothing of that is for a module without
// numbers.
Result<void> time_module(const ModuleNumbers* numbers, std::stop_token stop, ModuleRun& out, Run& run) {
  const Program whole = run.program;
  Result<void> timed = time_program(whole, out.partitioned, stop, run);
  if (timed.ok() || timed.error().kind == ErrorKind::cancelled || numbers == nullptr) return timed;
  if (is_the_algorithm(whole, run, stop)) return timed;
  if (out.part) {
    const Program& part = numbers->partitioned ? numbers->partitioned->program : numbers->program;
    Result<void> as_far = time_program(part, numbers->partitioned, stop, run);
    if (!as_far.ok() && as_far.error().kind == ErrorKind::cancelled) return as_far;
    if (as_far.ok()) {
      run.timeline.assumptions.push_back("timed " + out.part->words);
      out.partitioned = numbers->partitioned;
      return {};
    }
  }
  run.untimed = timed.error();
  return {};
}

// `as_timed`: the module is the one that was partitioned for its time.
Result<ModuleNumbers> numbers_of(const Program& module, const ModuleRunOptions& options,
                                 const PartitionOptions& split, bool as_timed, const ModuleRun& so_far,
                                 std::stop_token stop) {
  NumbersRequest request;
  request.of = &module;
  request.partition = split;
  if (!as_timed) request.partition.spread.reset();
  request.partition.devices = so_far.run->mesh.device_count();
  if (as_timed && so_far.partitioned) request.whole = &*so_far.partitioned;
  request.came_partitioned = !so_far.partitioned;
  request.arguments.typed = options.arguments;
  request.arguments.seed = so_far.run->experiment.seed;
  if (request.came_partitioned) request.arguments.devices = so_far.run->mesh.device_count();
  request.cut = options.cut;
  return check_module(module, request, options.check, options.values, Workers(options.threads), stop);
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

Result<PartitionOptions> asked_partition(const ModuleRunOptions& options) {
  PartitionOptions out = options.partition;
  Experiment probe;
  const auto asked = [&](const char* key) -> Result<bool> {
    const auto typed = options.asked.find(key);
    if (typed == options.asked.end()) return false;
    const Result<void> fine = put(*find_field(key), probe, typed->second);
    if (!fine.ok()) return placed(fine.error(), std::string("--") + key);
    return true;
  };
  TRY(const bool whose, asked("propagation"));
  if (whose) out.propagation = probe.propagation;
  TRY(const bool results, asked("results"));
  if (results) out.results = probe.results;
  TRY(const bool mesh, asked("mesh"));
  if (mesh && !out.devices) out.devices = probe.mesh.device_count();
  return out;
}

Result<ModuleRun> execute_module(const Program& read, const ModuleRunOptions& options, std::stop_token stop) {
  const std::optional<Program> spread = replicas_as_devices(read, options.partition.devices);
  const Program& given = spread ? *spread : read;
  TRY_VOID(verify(given));
  ModuleRun out;
  TRY(PartitionOptions split, asked_partition(options));
  split.stop = stop;
  Program module = given;
  if (const auto part = options.cut.empty() ? std::nullopt : part_without(given, {})) {
    module = part->program;
    split.spread.reset();  // it is of the whole
  }
  const bool came_partitioned = is_partitioned(module);
  if (came_partitioned) {
    module.mesh = compiled_mesh(module);
  } else {
    TRY_VOID(spread_once(module, split));
    TRY(out.partitioned, partition(module, split));
  }
  const Program& program = out.partitioned ? out.partitioned->program : module;
  TRY(Experiment asked, experiment_of(module, program.mesh, options));
  TRY(const Hardware hardware, find_hardware(asked.hardware));
  const std::shared_ptr<Run> run = run_of(module, std::move(asked), hardware);
  run->program = program;
  take_mesh(run->mesh, run->program);
  run->module = module_face(run->program, out.partitioned);
  out.run = run;
  out.arrays = arrays_of(module, out.partitioned);
  const auto tell = [&](const char* what, double fraction) {
    if (options.progress) options.progress({module.name + ": " + what, fraction});
  };
  std::optional<ModuleNumbers> numbers;
  if (options.check != CheckMode::off) {
    tell("numbers", 0);
    Program whole = given;
    const auto drawn = draw_elided_constants(whole, run->experiment.seed);
    TRY(numbers, numbers_of(whole, options, split, drawn.empty() && options.cut.empty(), out, stop));
    run->numerics = numbers->report;
    run->measured = numbers->measured;
    out.arguments = std::move(numbers->arguments);
    out.results = std::move(numbers->results);
    out.part = numbers->part;
    if (!drawn.empty()) run->numerics.warnings.push_back(drawn_words(drawn, run->experiment.seed));
  }
  tell("timing", 0.8);
  TRY_VOID(time_module(numbers ? &*numbers : nullptr, stop, out, *run));
  if (options.workspace && !run->untimed) options.workspace->enter(run);
  tell("done", 1);
  return out;
}

}  // namespace shardscope
