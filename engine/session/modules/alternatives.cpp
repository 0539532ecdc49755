// SPDX-License-Identifier: Apache-2.0
#include "engine/session/modules/alternatives.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <tuple>
#include <vector>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/session/hlo_run.h"
#include "engine/session/what_if.h"
#include "engine/sharding/sharding_text.h"

namespace shardscope::inline session {
namespace {

// Partitioning and timing a module of so many instructions again and again stays a matter of seconds.
int64_t most_tried(const Program& module) {
  return std::clamp<int64_t>(200'000 / std::max(1, module.instruction_count()), 2, 40);
}

bool needs(const Partitioned& made, const CollectiveOrigin& origin) {
  return std::ranges::any_of(made.collectives, [&](const CollectiveOrigin& c) {
    return c.instruction == origin.instruction && c.operand == origin.operand;
  });
}

ModuleCost cost_of(const Run& run, const Partitioned& made) {
  ModuleCost out;
  out.total = run.timeline.total;
  out.bytes_sent = mean_per_device(run.timeline).bytes_sent;
  out.peak_bytes = static_cast<int64_t>(max_per_device(run.timeline).peak_bytes);
  out.collectives = static_cast<int64_t>(made.collectives.size());
  return out;
}

auto rank(const ModuleCost& cost) {
  return std::tuple(cost.total, cost.bytes_sent, cost.peak_bytes);
}

std::string change(const std::string& now, double from, double to, std::string (*as_text)(double)) {
  if (to == from) return say("{} as now", now);
  return to < from ? say("{} ({} less)", now, as_text(from - to))
                   : say("{} ({} more)", now, as_text(to - from));
}

Result<void> comparable(const ExplainedModule& explained, size_t collective) {
  if (collective >= explained.collectives.size()) return invalid(said("there is no such collective"));
  if (!explained.timed) return invalid(said("the module has no simulated time to compare with"));
  return {};
}

}  // namespace

std::string Alternative::words() const {
  const std::string time =
      change(format_picoseconds(then.total), to_seconds(now.total), to_seconds(then.total), format_seconds);
  const std::string sent =
      change(format_bytes(then.bytes_sent), now.bytes_sent, then.bytes_sent, format_bytes);
  const std::string peak =
      change(format_bytes(static_cast<double>(then.peak_bytes)), static_cast<double>(now.peak_bytes),
             static_cast<double>(then.peak_bytes), format_bytes);
  return say("Without it, with {} as {}: time {}; sent by a device {}; most bytes alive {}; {} of {}.",
             edit.display_name, edit.spec, time, sent, peak,
             say_count("{} collective instead", "{} collectives instead", then.collectives), now.collectives);
}

Result<Alternative> alternative_to(const ExplainedModule& explained, const ExplainOptions& options,
                                   size_t collective, const std::stop_token& stop) {
  TRY_VOID(comparable(explained, collective));
  const auto partitioned = explained.partitioned();
  if (partitioned == nullptr)
    return invalid(said("the module is already partitioned: whole arrays and their shardings are not known"));
  const CollectiveOrigin& origin = explained.collectives[collective].origin;
  const Mesh& mesh = partitioned->program->mesh;
  ModuleRunOptions how;
  how.partition = options.partition;
  how.partition.devices = mesh.device_count();
  how.asked = options.asked;
  how.check = CheckMode::off;
  Alternative best;
  std::vector<std::string> names;
  const int64_t most = most_tried(explained.module());
  for (const NearArray& array : arrays_near(*partitioned, origin)) {
    names.push_back(explained.display_name(array.name));
    for (const PartitionSpec& spec : one_step_away(array, mesh)) {
      if (best.tried == most) break;
      if (stop.stop_requested()) return cancelled();
      ++best.tried;
      const auto edit = edit_to(*partitioned, array, spec);
      if (!edit) continue;
      const auto ran = execute_module(with_edit(explained.module(), *edit), how, stop);
      if (!ran.ok() && ran.error().kind == ErrorKind::cancelled) return ran.error();
      const auto made = ran.ok() ? partitioned_stage(ran->stages) : nullptr;
      if (made == nullptr || needs(*made, origin)) continue;
      const ModuleCost cost = cost_of(*ran->run, *made);
      if (!best.edit.instruction.empty() && rank(best.then) <= rank(cost)) continue;
      best.edit = *edit;
      best.then = cost;
    }
  }
  if (best.edit.instruction.empty())
    return invalid(say("none of the {} shardings of {} that were tried avoids it", best.tried,
                       names.empty() ? said("its arrays") : join(names, ", ")));
  best.now = cost_of(*explained.timed, *partitioned);
  return best;
}

Result<Picoseconds> time_without(const ExplainedModule& explained, size_t collective,
                                 const std::stop_token& stop) {
  TRY_VOID(comparable(explained, collective));
  WhatIf question;
  for (const Computation& c : explained.timed->program.computations)
    for (const Instruction& i : c.instructions)
      if (is_collective(i.opcode) && explained.collective_named(i.name) == collective)
        question.operations.push_back(i.name);
  TRY(const WhatIfBase base, WhatIfBase::make(explained.timed, stop));
  TRY(const WhatIfAnswer answer, base.ask(question, WhatIfBase::Keep::totals, stop));
  return answer.then.total;
}

}  // namespace shardscope::inline session
