// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/schedule.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/collectives/opcode_kind.h"
#include "engine/hardware/fabric.h"
#include "engine/plan/collective_plan.h"
#include "engine/plan/event_count.h"
#include "engine/plan/memory.h"
#include "engine/plan/plan_summary.h"
#include "engine/plan/symmetry.h"
#include "engine/plan/work.h"
#include "engine/schedule/parts/class_play.h"
#include "engine/schedule/recorder.h"
#include "engine/schedule/retiming.h"
#include "engine/schedule/simulator.h"

namespace shardscope::inline scheduler {

namespace {

void say_too_many(const ScheduleOptions& options, Timeline& timeline) {
  timeline.assumptions.push_back(
      fmt::format("{} events, more than {}: totals only", timeline.event_count, options.most_events));
}

using Machine = CollectivePlanner::Machine;  // what a plan is timed on

// What follows from the plan alone, of which each work was played once.
void add_plan(const Program& program, const WorkPlan& plan, const Machine& machine,
              const std::vector<int64_t>& bytes_sent, int64_t played, Timeline& timeline) {
  add_summary({program, machine.hardware, plan, {{0, plan.works.size()}}, bytes_sent, played}, timeline);
  for (const Work& work : plan.works) {
    if (work.schedule == nullptr) continue;
    timeline.schedules.push_back({work.global_index, work.algorithm, work.bytes, work.groups, work.schedule});
  }
}

// Plays the works, of each class of `symmetry` one device; none when these differ in what a lane chooses.
Result<std::optional<Timeline>> play(const Program& program, const WorkPlan& plan, const Machine& machine,
                                     const Symmetry* symmetry, const ScheduleOptions& options,
                                     std::stop_token stop) {
  const Fabric& fabric = machine.fabric;
  EventRecorder recorder(fabric.devices(), options.keep_events, options.most_events, symmetry);
  if (recorder.keeps_events()) recorder.expect(expected_events(plan, fabric));
  Simulator simulator(plan, fabric, options.overlap, recorder, symmetry);
  TRY(const bool told, simulator.run(stop, options.progress));
  if (!told) return std::optional<Timeline>();
  Timeline timeline;
  timeline.devices = fabric.devices();
  timeline.lanes = fabric.lanes();
  recorder.finish(plan, timeline);
  const size_t played = symmetry == nullptr ? timeline.totals.size() : symmetry->played().size();
  const auto place = [&](int32_t device) { return symmetry == nullptr ? device : symmetry->place(device); };
  const auto by = [&](int32_t device) {
    return symmetry == nullptr ? device : symmetry->played()[static_cast<size_t>(symmetry->place(device))];
  };
  const auto span = [&](int32_t work, int32_t device) {
    return simulator.spans()[static_cast<size_t>(work) * played + static_cast<size_t>(place(device))];
  };
  record_memory(program, plan, {by, span}, recorder.keeps_events(), timeline);
  if (recorder.gave_up()) say_too_many(options, timeline);
  add_plan(program, plan, machine, simulator.bytes_sent(), static_cast<int64_t>(played), timeline);
  return std::optional(std::move(timeline));
}

// Whether so many events are to come that they will not be kept.
bool wants_totals(const WorkPlan& plan, const Fabric& fabric, const ScheduleOptions& options) {
  if (!options.keep_events) return true;
  return options.most_events > 0 && expected_events(plan, fabric) > options.most_events;
}

// The totals of playing devices that do the same as one; none where that cannot be told.
Result<std::optional<Timeline>> play_classes(const Program& program, const WorkPlan& plan,
                                             const Machine& machine, const ScheduleOptions& options,
                                             std::stop_token stop) {
  const Computation& entry = program.entry_computation();
  if (std::ranges::any_of(entry.instructions, [](const Instruction& i) { return i.rooted; }))
    return std::optional<Timeline>();
  ClassPlay play(plan, {program.mesh, machine.hardware, options.overrides, machine.fabric, options.overlap},
                 std::move(stop));
  TRY(const bool told, play.run());
  const bool few = options.keep_events && play.event_count() <= options.most_events;  // they will be kept
  if (!told || few) return std::optional<Timeline>();
  Timeline timeline;
  timeline.devices = machine.fabric.devices();
  timeline.lanes = machine.fabric.lanes();
  timeline.total = play.last().time;
  timeline.event_count = play.event_count();
  timeline.critical_path = path_to(play.last());
  const auto of = [&](int32_t device) -> const DeviceClass& {
    return play.classes()[static_cast<size_t>(play.class_of(device))];
  };
  std::vector<DeviceTotals> totals;
  for (const DeviceClass& it : play.classes()) totals.push_back(it.totals(timeline.total));
  for (int32_t d = 0; d < timeline.devices; ++d)
    timeline.totals.push_back(totals[static_cast<size_t>(play.class_of(d))]);
  record_memory(program, plan,
                {[&](int32_t device) { return of(device).devices.front(); },
                 [&](int32_t work, int32_t device) { return of(device).span(work); }},
                false, timeline);
  if (options.keep_events) say_too_many(options, timeline);
  add_plan(program, plan, machine, play.bytes_sent(), timeline.devices, timeline);
  return std::optional(std::move(timeline));
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

// In the way that is quickest: one device for all, one of each class, one of each class along closed axes,
// all.
Result<Timeline> play_quickly(const Program& program, const WorkPlan& plan, const Machine& machine,
                              const ScheduleOptions& options, std::stop_token stop) {
  std::optional<Symmetry> symmetry;
  if (options.one_for_all) symmetry = Symmetry::find(program.mesh, machine.fabric, plan);
  if (symmetry && symmetry->played().size() == 1) {
    TRY(auto one, play(program, plan, machine, &*symmetry, options, stop));
    if (one) return *std::move(one);
  }
  if (options.one_for_all && wants_totals(plan, machine.fabric, options)) {
    TRY(auto alike, play_classes(program, plan, machine, options, stop));
    if (alike) return *std::move(alike);
  }
  if (symmetry && symmetry->played().size() > 1 && !has_order(plan, options)) {
    TRY(auto some, play(program, plan, machine, &*symmetry, options, stop));
    if (some) return *std::move(some);
  }
  TRY(auto all, play(program, plan, machine, nullptr, options, stop));
  return *std::move(all);
}

Result<Timeline> time_plan(const Program& program, const WorkPlan& plan, const Machine& machine,
                           const ScheduleOptions& options, std::stop_token stop) {
  TRY_VOID(require_countable(plan, machine.fabric));
  TRY(Timeline timeline, play_quickly(program, plan, machine, options, std::move(stop)));
  if (options.progress) options.progress(1);
  return timeline;
}

}  // namespace

Result<WorkPlan> plan_work(const Program& program, const Hardware& hardware, const Fabric& fabric,
                           const ScheduleOptions& options, const std::stop_token& stop) {
  FastestAlgorithms fastest(options.fastest);
  return plan_work(program, hardware, fabric, options, fastest, stop);
}

Result<Timeline> schedule_written_out(const Program& program, const Hardware& hardware,
                                      const ScheduleOptions& asked, std::stop_token stop) {
  const ScheduleOptions options = in_order_with_calls(asked);
  TRY(const Fabric fabric, Fabric::make(program.mesh, hardware, options.overrides));
  TRY(WorkPlan plan, plan_work(program, hardware, fabric, options, stop));
  plan.give_up_after = options.enough;
  Result<Timeline> timeline = time_plan(program, plan, {hardware, fabric}, options, std::move(stop));
  if (!timeline.ok() && timeline.error().kind == ErrorKind::too_big && plan.gives_up())
    return longer_than(options.enough);
  return timeline;
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
  FastestAlgorithms fastest(FastestAlgorithms::Reasons::left_out);
  CollectivePlanner planner(program, {hardware, fabric}, asked, fastest);
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

namespace {

// A collective of which it is to be said how it goes.
bool has_open_algorithm(const Instruction& i) {
  return collective_kind(i) && collective_kind(i) != CollectiveKind::permute && i.algorithm.empty();
}

}  // namespace

Result<Program> resolve_collectives(Program program, const Hardware& hardware, CollectiveAlgorithm asked,
                                    const std::stop_token& stop) {
  FastestAlgorithms fastest(FastestAlgorithms::Reasons::left_out);
  return resolve_collectives(std::move(program), hardware, asked, fastest, stop);
}

Result<std::vector<CollectiveQuery>> asked_collectives(const Program& program, const Hardware& hardware,
                                                       const FastestAlgorithms& known) {
  TRY(const Fabric fabric, Fabric::make(program.mesh, hardware));
  FastestAlgorithms fastest(&known);
  CollectivePlanner planner(program, {hardware, fabric}, CollectiveAlgorithm::automatic, fastest);
  std::vector<CollectiveQuery> out;
  for (const Instruction& i : program.entry_computation().instructions) {
    if (!has_open_algorithm(i)) continue;
    auto asked = planner.asks(i);
    if (asked && std::find(out.begin(), out.end(), *asked) == out.end()) out.push_back(*std::move(asked));
  }
  return out;
}

Result<Program> resolve_collectives(Program program, const Hardware& hardware, CollectiveAlgorithm asked,
                                    FastestAlgorithms& fastest, const std::stop_token& stop) {
  TRY(const Fabric fabric, Fabric::make(program.mesh, hardware));
  CollectivePlanner planner(program, {hardware, fabric}, asked, fastest, stop);
  for (Instruction& i : program.computations[static_cast<size_t>(program.entry.value)].instructions) {
    if (!has_open_algorithm(i)) continue;
    if (stop.stop_requested()) return cancelled();
    TRY(const CollectivePlanner::Found found, planner.algorithm_of(i));
    i.algorithm = name(found.algorithm);
  }
  return program;
}

}  // namespace shardscope::inline scheduler
