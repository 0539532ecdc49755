// SPDX-License-Identifier: Apache-2.0
#include "engine/session/routes/collective_times.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/partition/entry/partitioned_cost.h"
#include "engine/schedule/schedule.h"
#include "engine/session/modules/collective_volume.h"

namespace shardscope::inline session {
namespace {

// The collective and its operands, which are parameters.
Program only(const Program& program, const Instruction& collective, const Mesh& mesh) {
  Program out;
  out.name = "collective";
  out.mesh = mesh;
  Computation entry;
  entry.name = "main";
  Instruction made = collective;
  made.operands.clear();
  const Computation& from = program.entry_computation();
  for (size_t k = 0; k < collective.operands.size(); ++k) {
    Instruction parameter;
    parameter.name = fmt::format("p{}", k);
    parameter.opcode = Opcode::parameter;
    parameter.parameter_number = static_cast<int64_t>(k);
    parameter.shape = from.at(collective.operands[k]).shape;
    entry.instructions.push_back(std::move(parameter));
    made.operands.push_back(InstructionId(static_cast<int64_t>(k)));
  }
  made.called.change([&](std::vector<CalledComputation>& called) {
    for (CalledComputation& each : called) {
      out.computations.push_back(program.computation(each.computation));
      each.computation = ComputationId(static_cast<int64_t>(out.computations.size()) - 1);
    }
  });
  entry.instructions.push_back(std::move(made));
  entry.root = InstructionId(static_cast<int64_t>(entry.instructions.size()) - 1);
  out.computations.push_back(std::move(entry));
  out.entry = ComputationId(static_cast<int64_t>(out.computations.size()) - 1);
  return out;
}

// All that its time depends on, in words.
std::string key_of(const Computation& computation, const Instruction& i) {
  std::string out = fmt::format("{} {}", opcode_text(i.opcode), i.shape.bytes());
  for (const InstructionId operand : i.operands)
    out += fmt::format(" {}", computation.at(operand).shape.bytes());
  if (i.permutation) {
    for (const SourceTarget& pair : i.permutation->pairs())
      out += fmt::format(" {}>{}", pair.source.value, pair.target.value);
  } else {
    out += " " + join(i.replica_groups->tiles.dims, ",") + ":";
    for (const int64_t device : i.replica_groups->tiles.devices) out += fmt::format(" {}", device);
  }
  return out;
}

// An array that every device keeps a part of; not a look into a table of numbers.
bool slices_array(const Computation& computation, const Instruction& i) {
  return i.opcode == Opcode::dynamic_slice && computation.at(i.operands[0]).opcode != Opcode::constant;
}

}  // namespace

CollectiveTimes::CollectiveTimes(const Mesh& mesh, const Hardware& hardware)
    : mesh_(with_chip_wraps(mesh, hardware)), hardware_(hardware) {}

Result<StepCost> CollectiveTimes::alone(const Program& program, const Instruction& collective,
                                        const std::stop_token& stop) {
  std::string key = key_of(program.entry_computation(), collective);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  ScheduleOptions options;
  options.keep_events = false;
  options.fastest = &fastest_;
  TRY(const Program ready, resolve_collectives(only(program, collective, mesh_), hardware_,
                                               CollectiveAlgorithm::automatic, fastest_, stop));
  TRY(const Timeline timeline, schedule(ready, hardware_, options, stop));
  StepCost cost{timeline.total, 0, 1};
  const Computation& entry = ready.entry_computation();
  cost.bytes = CollectiveBytes(ready).of(entry, entry.root_instruction());
  for (const auto& [name, traffic] : traffic_of(ready, hardware_, CollectiveAlgorithm::automatic))
    cost.bytes = traffic.bytes_sent;
  known_.emplace(std::move(key), cost);
  return cost;
}

Result<std::vector<TimedStep>> CollectiveTimes::of(const Program& program, bool slices,
                                                   const std::stop_token& stop) {
  Program on_mesh = program;
  on_mesh.mesh = mesh_;
  const Computation& entry = on_mesh.entry_computation();
  std::vector<TimedStep> out;
  for (const Instruction& i : entry.instructions) {
    if (slices && slices_array(entry, i)) out.push_back({std::string(opcode_text(i.opcode)), {}, {0, 0, 1}});
    if (!is_collective(i.opcode)) continue;
    TRY(const StepCost cost, alone(on_mesh, i, stop));
    out.push_back({std::string(opcode_text(i.opcode)), collective_axes(on_mesh, i), cost});
  }
  return out;
}

Result<StepCost> CollectiveTimes::sum_of(const Program& program, const std::stop_token& stop) {
  TRY(const std::vector<TimedStep> steps, of(program, false, stop));
  StepCost out;
  for (const TimedStep& step : steps) out = out + step.cost;
  return out;
}

}  // namespace shardscope::inline session
