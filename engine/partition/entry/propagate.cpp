// SPDX-License-Identifier: Apache-2.0
// Which of the two propagations spreads a module's shardings.
#include <utility>

#include "engine/partition/entry/partition.h"
#include "engine/partition/propagate/propagation_state.h"
#include "engine/partition/shardy/shardy_propagation.h"
#include "engine/partition/types/all_devices.h"
#include "engine/partition/types/spmd_mesh.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/program/mlir/module_shardings.h"

namespace shardscope {
namespace {

// "allow_spmd_sharding_propagation_to_output={true}", "=true" or bare.
std::optional<bool> allowed(const Program& module, std::string_view key) {
  for (const VerbatimAttribute& attribute : module.verbatim)
    if (attribute.key == key) return attribute.value.find("false") == std::string::npos;
  return std::nullopt;
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

}  // namespace

Result<PropagatedModule> propagate(const Program& module, const PropagationOptions& options) {
  PropagatedModule out;
  PartitionOptions of_partition;
  of_partition.devices = options.devices;
  TRY(out.devices, partition_devices(module, of_partition));
  std::vector<std::string> widened;
  if (const auto wide = on_all_devices(module, out.devices, widened)) {
    PropagationOptions same = options;
    same.devices = out.devices;
    TRY(out, propagate(*wide, same));
    out.notes.insert(out.notes.end(), widened.begin(), widened.end());
    return out;
  }
  auto [by, why] = choose(module, options.propagation);
  out.by = by;
  out.notes.push_back(std::move(why));
  PropagationGuides guides;
  const bool shardy = by == Propagation::shardy;
  TRY(out.module, prepare_for_spmd(module, SpmdDialect::current, &out.renamed, shardy ? &guides : nullptr));
  if (options.stop.stop_requested()) return cancelled();
  // Shardy's results are open where nothing is said.
  const bool to_output = options.to_output.value_or(
      allowed(module, "allow_spmd_sharding_propagation_to_output").value_or(shardy));
  const bool to_parameters = allowed(module, "allow_spmd_sharding_propagation_to_parameters").value_or(true);
  if (shardy) {
    TRY_VOID(
        spread_by_factors(guides, {.parameters = to_parameters, .result = to_output}, out, options.stop));
    return out;
  }
  if (auto named = user_mesh(out.module, out.devices); named && !named->note.empty())
    out.notes.push_back(std::move(named->note));
  TRY(PropagationState state,
      PropagationState::make(out.module, out.devices, {.parameters = to_parameters, .result = to_output}));
  spread_by_tiles(out.module, state, options.stop);
  if (options.stop.stop_requested()) return cancelled();
  out.steps = state.steps();
  state.write(out.module);
  return out;
}

}  // namespace shardscope
