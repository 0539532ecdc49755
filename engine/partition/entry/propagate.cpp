// SPDX-License-Identifier: Apache-2.0
// Which of the two propagations spreads a module's shardings.
#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "engine/partition/entry/partition.h"
#include "engine/partition/entry/whole_calls.h"
#include "engine/partition/propagate/propagation_state.h"
#include "engine/partition/shardy/factor_rule.h"
#include "engine/partition/shardy/shardy_propagation.h"
#include "engine/partition/types/all_devices.h"
#include "engine/partition/types/spmd_mesh.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/program/mlir/module_shardings.h"

namespace shardscope::inline partitioner {
namespace {

std::optional<std::vector<bool>> allowed(const Program& module, std::string_view key) {
  for (const VerbatimAttribute& attribute : module.verbatim)
    if (attribute.key == key) return allowed_one_by_one(attribute.value);
  return std::nullopt;
}

// Who compiles with those results free that have no sharding, though the text lacks it; empty: nobody known.
// JAX says of results that a user wants whole that they are {replicated}. PyTorch/XLA does so since 2023,
// when the text had its layouts in the header already.
std::string_view compiled_with_free_results(const Program& module) {
  if (module.name.starts_with("jit_")) return "JAX compiles its modules (jit_…)";
  const bool new_enough = std::ranges::any_of(
      module.verbatim, [](const VerbatimAttribute& a) { return a.key == "entry_computation_layout"; });
  return module.name.starts_with("IrToHlo") && new_enough ? "PyTorch/XLA compiles its modules (IrToHlo)" : "";
}

// Which ends may be split; where that is not what the text says, a sentence in `notes`.
OpenEnds open_ends(const Program& module, const PropagationOptions& options, bool shardy,
                   std::vector<std::string>& notes) {
  OpenEnds out;
  if (const auto said = allowed(module, "allow_spmd_sharding_propagation_to_parameters"))
    out.parameters = *said;
  const auto said = allowed(module, "allow_spmd_sharding_propagation_to_output");
  if (options.results) {
    out.results = {*options.results == Results::free};
  } else if (said) {
    out.results = *said;
  } else if (const std::string_view who = compiled_with_free_results(module); !shardy && !who.empty()) {
    out.results = {true};
    notes.push_back(fmt::format(
        "results stay as propagation leaves them: {} so; --results replicated gathers them", who));
  } else {
    out.results = {shardy};  // Shardy's results are open where nothing is said
  }
  return out;
}

// Who spreads, and a sentence of why.
std::pair<Propagation, std::string> choose(const Program& module, const std::optional<Propagation>& asked) {
  const bool words = ModuleShardings(module).any();
  const Propagation by = asked.value_or(words ? Propagation::shardy : Propagation::gspmd);
  std::string why = "shardings spread by ";
  why += by == Propagation::shardy ? "Shardy's factors" : "XLA's own propagation (gspmd)";
  why += asked   ? ", as asked"
         : words ? ", since the module names mesh axes"
                 : ", since the module names no mesh axes";
  return {by, why};
}

// Of a module whose shardings are of out.devices.
Result<void> spread_over(const Program& module, const PropagationOptions& options,
                         RenamedInstructions& renamed, Program& spread, PropagatedModule& out) {
  auto [by, why] = choose(module, options.propagation);
  out.by = by;
  out.notes.push_back(std::move(why));
  PropagationGuides guides;
  const bool shardy = by == Propagation::shardy;
  TRY(spread, prepare_for_spmd(module, SpmdDialect::current, &renamed, shardy ? &guides : nullptr));
  if (options.stop.stop_requested()) return cancelled();
  const OpenEnds open = open_ends(module, options, shardy, out.notes);
  if (shardy) return spread_by_factors(guides, {open, options.whole_axes_at_ends}, spread, out, options.stop);
  if (auto named = user_mesh(spread, out.devices); named && !named->note.empty())
    out.notes.push_back(std::move(named->note));
  TRY(PropagationState state, PropagationState::make(spread, out.devices, open));
  spread_by_tiles(spread, state, options.stop);
  if (options.stop.stop_requested()) return cancelled();
  std::move(state).write(spread, out);
  return {};
}

// By the name that an instruction had in the module.
StageLinks links_by_written(const SharedProgram& made, const SharedProgram& module,
                            const RenamedInstructions& renamed) {
  std::vector<StageLink> links;
  int32_t number = 0;
  for (const Computation& c : made->computations) {
    for (const Instruction& i : c.instructions) {
      if (const auto written = module.number_of(written_name(renamed, i.name)))
        links.push_back({number, *written});
      ++number;
    }
  }
  return StageLinks(std::move(links));
}

}  // namespace

Result<PropagatedModule> propagate(const StagePtr& before, const PropagationOptions& options) {
  PropagatedModule out;
  out.kind = StageKind::propagated;
  out.before = before;
  TRY(const std::optional<Program> whole, with_whole_calls(*before->program));
  const Program& module = whole ? *whole : *before->program;
  PartitionOptions of_partition;
  of_partition.devices = options.devices;
  TRY(out.devices, partition_devices(module, of_partition));
  std::vector<std::string> widened;
  const std::optional<Program> wide = on_all_devices(module, out.devices, widened);
  RenamedInstructions renamed;
  Program spread;
  TRY_VOID(spread_over(wide ? *wide : module, options, renamed, spread, out));
  out.notes.insert(out.notes.end(), widened.begin(), widened.end());
  out.program = SharedProgram(std::move(spread));
  out.links = links_by_written(out.program, before->program, renamed);
  return out;
}

Result<PropagatedModule> propagate(const Program& module, const PropagationOptions& options) {
  return propagate(read_stage(module), options);
}

std::shared_ptr<const PropagatedModule> propagated_stage(const StagePtr& last) {
  return std::static_pointer_cast<const PropagatedModule>(stage_of(last, StageKind::propagated));
}

Result<std::shared_ptr<const Program>> prepared_spread(const PropagatedModule& spread, SpmdDialect dialect,
                                                       RenamedInstructions& renamed) {
  if (needs_preparing(*spread.program, dialect)) {
    TRY(Program prepared, prepare_for_spmd(*spread.program, dialect, &renamed));
    return std::make_shared<const Program>(std::move(prepared));
  }
  TRY_VOID(verify(*spread.program));
  return spread.program.pointer();
}

const Instruction& instruction_of(const PropagatedModule& module, const ArrayDimension& dimension) {
  return module.program->computation(dimension.of.computation).at(dimension.of.instruction);
}

std::string reason_of(const PropagatedModule& module, const PropagationStep& step) {
  const auto name = [&](const Instruction& i) { return display_name(module, i.name); };
  const std::string& cut = module.cuts[step.cut];
  const std::string from = name(instruction_of(module, step.from)),
                    origin = name(instruction_of(module, step.origin));
  if (module.by == Propagation::gspmd) {
    const std::string out = fmt::format("dimension {} is split {} because of {} (dimension {})",
                                        step.to.dimension, cut, origin, step.origin.dimension);
    return from == origin ? out : out + ", by way of " + from;
  }
  std::string out = fmt::format("takes {} in dimension {} from {} (dimension {})", cut, step.to.dimension,
                                from, step.from.dimension);
  if (step.through.instruction.valid())
    out += fmt::format(" through {}'s factor {}", name(instruction_of(module, {step.through})),
                       factor_name(static_cast<size_t>(step.factor)));
  if (origin != from) out += fmt::format("; it began at {} (dimension {})", origin, step.origin.dimension);
  return out;
}

std::vector<std::string> reasons_of(const PropagatedModule& module, const std::string& instruction) {
  std::vector<std::string> out;
  for (const PropagationStep& step : module.steps)
    if (instruction_of(module, step.to).name == instruction) out.push_back(reason_of(module, step));
  return out;
}

PropagationOptions propagation_options(const PartitionOptions& options) {
  return {options.devices, options.results, options.stop, options.propagation,
          options.partitioner != Partitioner::shardy};
}

}  // namespace shardscope::inline partitioner
