// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/schedule.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/collectives/opcode_kind.h"
#include "engine/hardware/fabric.h"
#include "engine/schedule/calibrated_range.h"
#include "engine/schedule/collective_plan.h"
#include "engine/schedule/event_count.h"
#include "engine/schedule/memory.h"
#include "engine/schedule/recorder.h"
#include "engine/schedule/retiming.h"
#include "engine/schedule/simulator.h"
#include "engine/schedule/symmetry.h"
#include "engine/schedule/work.h"

namespace shardscope {

namespace {

std::vector<CollectiveSummary> summarise_collectives(const Program& program, const WorkPlan& plan,
                                                     const std::vector<int64_t>& bytes_sent, int64_t played) {
  std::vector<CollectiveSummary> out;
  for (size_t w = 0; w < plan.works.size(); ++w) {
    const Work& work = plan.works[w];
    if (work.kind != WorkKind::collective) continue;
    const std::string opcode(opcode_text(program.entry_computation().at(work.instruction).opcode));
    auto it = std::find_if(out.begin(), out.end(), [&](const CollectiveSummary& s) {
      return s.opcode == opcode && s.axis == work.axis && s.algorithm == work.algorithm;
    });
    if (it == out.end()) it = out.insert(out.end(), {opcode, work.axis, 0, 0, work.algorithm, 0, work.why});
    ++it->count;
    it->steps += work.steps();
    it->bytes_sent_per_device += static_cast<double>(bytes_sent[w]) / static_cast<double>(played);
  }
  return out;
}

// Plays the works; one device of each class when that comes to the same. Everything but what follows from the
// program alone.
Result<Timeline> play(const Program& program, const WorkPlan& plan, const Fabric& fabric,
                      const Symmetry* symmetry, const ScheduleOptions& options, std::stop_token stop) {
  EventRecorder recorder(fabric.devices(), options.keep_events, options.most_events, symmetry);
  if (recorder.keeps_events()) recorder.expect(expected_events(plan, fabric));
  Simulator simulator(plan, fabric, options.overlap, recorder, symmetry);
  TRY_VOID(simulator.run(stop, options.progress));
  if (symmetry != nullptr && !simulator.one_stood_for_its_class()) {
    return play(program, plan, fabric, nullptr, options, stop);
  }
  Timeline timeline;
  timeline.devices = fabric.devices();
  timeline.lanes = fabric.lanes();
  recorder.finish(plan, timeline);
  record_memory(program, plan, {simulator.spans(), symmetry}, recorder.keeps_events(), timeline);
  const size_t played = symmetry == nullptr ? timeline.totals.size() : symmetry->played().size();
  timeline.collectives =
      summarise_collectives(program, plan, simulator.bytes_sent(), static_cast<int64_t>(played));
  for (const Work& work : plan.works) {
    if (work.schedule == nullptr) continue;
    timeline.schedules.push_back({work.global_index, work.algorithm, work.bytes, work.groups, work.schedule});
  }
  if (recorder.gave_up()) {
    timeline.assumptions.push_back(
        fmt::format("{} events, more than {}: totals only", timeline.event_count, options.most_events));
  }
  return timeline;
}

// A call of a kernel by many devices holds their cores.
ScheduleOptions in_order_with_calls(ScheduleOptions options) {
  if (std::any_of(options.calls.begin(), options.calls.end(),
                  [](const KernelCall& call) { return call.is_collective(); })) {
    options.overlap = false;
    options.one_for_all = false;
  }
  return options;
}

// Whether some collective takes part and is done in program order. Of what a device then sends and receives
// to the same end, what was played first is the cause of the next: so all devices are played, or one.
bool has_order(const WorkPlan& plan, const ScheduleOptions& options) {
  return !options.overlap ||
         std::any_of(plan.works.begin(), plan.works.end(), [](const Work& work) { return work.alone; });
}

// What a plan is timed on.
struct Machine {
  const Hardware& hardware;
  const Fabric& fabric;
};

Result<Timeline> time_plan(const Program& program, const WorkPlan& plan, const Machine& machine,
                           const ScheduleOptions& options, std::stop_token stop) {
  const auto& [hardware, fabric] = machine;
  std::optional<Symmetry> symmetry;
  if (options.one_for_all) symmetry = Symmetry::find(program.mesh, fabric, plan);
  if (symmetry && symmetry->played().size() > 1 && has_order(plan, options)) symmetry.reset();
  TRY(Timeline timeline, play(program, plan, fabric, symmetry ? &*symmetry : nullptr, options, stop));
  const std::vector<std::string> of_mesh = mesh_assumptions(program.mesh, hardware);
  timeline.assumptions.insert(timeline.assumptions.begin(), plan.assumptions.begin(), plan.assumptions.end());
  timeline.assumptions.insert(timeline.assumptions.begin(), of_mesh.begin(), of_mesh.end());
  for (std::string& said : outside_calibration(hardware, plan))
    timeline.assumptions.push_back(std::move(said));
  double flops = 0;
  double padded = 0;
  for (const Work& work : plan.works) {
    flops += work.flops;
    padded += work.padded_flops;
  }
  if (padded > 0) timeline.mxu_utilisation = flops / padded;
  if (options.progress) options.progress(1);
  return timeline;
}

}  // namespace

Result<Timeline> schedule(const Program& program, const Hardware& hardware, const ScheduleOptions& asked,
                          std::stop_token stop) {
  const ScheduleOptions options = in_order_with_calls(asked);
  TRY(const Fabric fabric, Fabric::make(program.mesh, hardware, options.overrides));
  TRY(const WorkPlan plan, plan_work(program, hardware, fabric, options, stop));
  return time_plan(program, plan, {hardware, fabric}, options, std::move(stop));
}

Result<std::optional<Timeline>> schedule_within(Picoseconds limit, const Program& program,
                                                const Hardware& hardware, std::stop_token stop) {
  ScheduleOptions options;
  options.keep_events = false;
  TRY(const Fabric fabric, Fabric::make(program.mesh, hardware));
  TRY(WorkPlan plan, plan_work(program, hardware, fabric, options, stop));
  plan.give_up_after = limit;
  Result<Timeline> timeline = time_plan(program, plan, {hardware, fabric}, options, std::move(stop));
  if (timeline.ok() && timeline->total <= limit) return std::optional(*std::move(timeline));
  if (timeline.ok() || timeline.error().kind == ErrorKind::too_big) return std::optional<Timeline>();
  return timeline.error();
}

Result<Retiming> Retiming::make(const Program& program, const Hardware& hardware,
                                const ScheduleOptions& asked) {
  const ScheduleOptions options = in_order_with_calls(asked);
  Retiming out;
  out.program_ = &program;
  TRY(const Fabric fabric, Fabric::make(program.mesh, hardware, options.overrides));
  TRY(out.plan_, plan_work(program, hardware, fabric, options));
  out.with_kernels_ = !options.calls.empty();
  for (Work& work : out.plan_.works) work.call = nullptr;  // of the options
  return out;
}

Result<Timeline> Retiming::time(const Hardware& hardware, const ScheduleOptions& asked,
                                std::stop_token stop) const {
  if (with_kernels_ || !asked.calls.empty()) return schedule(*program_, hardware, asked, std::move(stop));
  TRY(const Fabric fabric, Fabric::make(program_->mesh, hardware, asked.overrides));
  WorkPlan plan = plan_;
  TRY_VOID(time_works(*program_, hardware, fabric, asked.module, plan));
  leave_out(asked.untimed, plan);
  return time_plan(*program_, plan, {hardware, fabric}, asked, std::move(stop));
}

const Work* Retiming::work_of(InstructionId instruction) const {
  const int32_t work = plan_.work_of[static_cast<size_t>(instruction.value)];
  return work < 0 ? nullptr : &plan_.works[static_cast<size_t>(work)];
}

Result<std::vector<TimedCollective>> plan_collectives(const Program& program, const Hardware& hardware,
                                                      const HardwareOverrides& overrides,
                                                      CollectiveAlgorithm asked) {
  TRY(const Fabric fabric, Fabric::make(program.mesh, hardware, overrides));
  CollectivePlanner planner(program, {hardware, fabric}, asked);
  std::vector<TimedCollective> out;
  const std::vector<Instruction>& entry = program.entry_computation().instructions;
  for (size_t i = 0; i < entry.size(); ++i) {
    if (!is_timed_collective(entry[i])) continue;
    TRY(PlannedCollective planned, planner.plan(InstructionId(static_cast<int64_t>(i))));
    out.push_back(std::move(planned.timed));
  }
  return out;
}

std::vector<BufferContents> buffer_contents(const Program& program, const std::vector<bool>& called) {
  return plan_buffers(program, find_fused_adds(program.entry_computation(), called));
}

Result<Program> resolve_collectives(Program program, const Hardware& hardware, CollectiveAlgorithm asked,
                                    const std::stop_token& stop) {
  TRY(const Fabric fabric, Fabric::make(program.mesh, hardware));
  CollectivePlanner planner(program, {hardware, fabric}, asked, stop);
  for (Instruction& i : program.computations[static_cast<size_t>(program.entry.value)].instructions) {
    if (!collective_kind(i) || collective_kind(i) == CollectiveKind::permute || !i.algorithm.empty())
      continue;
    if (stop.stop_requested()) return cancelled();
    const auto groups = device_groups(program, i);
    const GroupPlace shape = place_group(program.mesh, fabric, groups[0]);
    TRY(const CollectivePlanner::Found found,
        planner.algorithm_of(i, static_cast<int32_t>(groups[0].size()), shape.topology));
    i.algorithm = name(found.algorithm);
  }
  return program;
}

}  // namespace shardscope
