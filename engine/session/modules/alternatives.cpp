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

namespace shardscope {
namespace {

// An array that a collective's instruction reads or makes, and how it is split now.
struct NearArray {
  std::string name;
  Shape shape;
  PartitionSpec spec;  // one entry per dimension
};

// With `axis` taken out of every dimension.
PartitionSpec without(PartitionSpec spec, const std::string& axis) {
  for (auto& axes : spec.dims) std::erase(axes, axis);
  return spec;
}

bool divides(const Mesh& mesh, const PartitionSpec& spec, const Shape& shape) {
  const auto named = NamedSharding::make(mesh, spec);
  return named.ok() && named->shard_shape(shape.dims).ok();
}

// Every sharding that is one step from the array's own: an axis dropped, or in another dimension.
std::vector<PartitionSpec> one_step_away(const NearArray& array, const Mesh& mesh) {
  std::vector<PartitionSpec> out;
  const auto keep = [&](PartitionSpec spec) {
    if (spec != array.spec && divides(mesh, spec, array.shape) && std::ranges::count(out, spec) == 0)
      out.push_back(std::move(spec));
  };
  PartitionSpec whole;
  whole.dims.resize(array.shape.rank());
  keep(whole);
  for (const MeshAxis& axis : mesh.axes()) {
    if (axis.size == 1) continue;
    const PartitionSpec free = without(array.spec, axis.name);
    keep(free);
    for (size_t dim = 0; dim < free.dims.size(); ++dim) {
      PartitionSpec moved = free;
      moved.dims[dim].push_back(axis.name);
      keep(std::move(moved));
    }
  }
  return out;
}

std::optional<NearArray> near_array(const ExplainedModule& explained, const Instruction& i,
                                    const Mesh& mesh) {
  if (i.shape.is_tuple || i.shape.rank() == 0 || i.opcode == Opcode::constant) return std::nullopt;
  NearArray out{i.name, i.shape, {}};
  if (const auto sharding = explained.sharding_of(i.name)) {
    const auto named = sharding->to_named(mesh);
    if (!named.ok()) return std::nullopt;
    out.spec = named->spec();
  }
  out.spec.dims.resize(i.shape.rank());
  return out;
}

// The operand that the collective moves comes first, then what the instruction makes, then the rest.
std::vector<NearArray> arrays_near(const ExplainedModule& explained, const CollectiveOrigin& origin,
                                   const Mesh& mesh) {
  std::vector<NearArray> out;
  const auto add = [&](const Instruction& i) {
    auto array = near_array(explained, i, mesh);
    if (array && std::ranges::none_of(out, [&](const NearArray& a) { return a.name == array->name; }))
      out.push_back(*std::move(array));
  };
  for (const Computation& c : explained.module().computations) {
    for (const Instruction& i : c.instructions) {
      if (i.name != origin.instruction) continue;
      std::vector<InstructionId> operands = i.operands;
      if (origin.operand == "rhs" && operands.size() > 1) std::swap(operands[0], operands[1]);
      const bool result_moves = origin.operand != "lhs" && origin.operand != "rhs";
      if (result_moves) add(i);
      for (const InstructionId operand : operands) add(c.at(operand));
      add(i);
    }
  }
  return out;
}

// Partitioning and timing a module of so many instructions again and again stays a matter of seconds.
int64_t most_tried(const Program& module) {
  return std::clamp<int64_t>(200'000 / std::max(1, module.instruction_count()), 2, 40);
}

Program with_sharding(const Program& module, const std::string& name, const HloSharding& sharding) {
  Program out = module;
  for (Computation& c : out.computations)
    for (Instruction& i : c.instructions)
      if (i.name == name) i.sharding = sharding;
  return out;
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
  for (const NearArray& array : arrays_near(explained, origin, mesh)) {
    names.push_back(explained.display_name(array.name));
    for (const PartitionSpec& spec : one_step_away(array, mesh)) {
      if (best.tried == most) break;
      if (stop.stop_requested()) return cancelled();
      ++best.tried;
      TRY(const NamedSharding named, NamedSharding::make(mesh, spec));
      const HloSharding sharding = HloSharding::from(named, array.shape.rank());
      const auto ran = execute_module(with_sharding(explained.module(), array.name, sharding), how, stop);
      if (!ran.ok() && ran.error().kind == ErrorKind::cancelled) return ran.error();
      const auto made = ran.ok() ? partitioned_stage(ran->stages) : nullptr;
      if (made == nullptr || needs(*made, origin)) continue;
      const ModuleCost cost = cost_of(*ran->run, *made);
      if (!best.edit.instruction.empty() && rank(best.then) <= rank(cost)) continue;
      best.edit = {array.name, explained.display_name(array.name), sharding.text(),
                   spec_text(spec, array.shape.rank())};
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

}  // namespace shardscope
