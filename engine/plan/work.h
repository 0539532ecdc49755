// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/collectives/schedule.h"
#include "engine/hardware/fabric.h"
#include "engine/plan/algorithm_chooser.h"
#include "engine/plan/options.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline planner {

enum class WorkKind : uint8_t { compute, copy, collective };

// What is done, whichever instruction and round of a loop it is of.
struct Task {
  WorkKind kind = WorkKind::compute;
  Cost cost;          // compute and copy
  int64_t bytes = 0;  // compute and copy: read and written; collective: the whole array
  double flops = 0, padded_flops = 0;
  bool draws_power = false;  // a product whose clock falls where it fills the time
  std::shared_ptr<const CollectiveSchedule> schedule;
  std::shared_ptr<const CollectiveGroups> groups;
  std::vector<int> mesh_axes;  // a collective: as GroupPlace says them
  std::vector<int32_t> rank_axes;
  std::string axis, algorithm, why;  // as CollectiveSummary says them
  const KernelCall* call = nullptr;  // of PlanOptions; a collective with one has no schedule
  std::optional<LinkPace> pace;      // of the messages of a collective that was measured
  bool alone = false;                // a collective that does not run beside compute (Hardware::overlap.ops)
  bool operator==(const Task&) const = default;
};

// An instruction of the entry that takes time; the same on every device. Instructions that cost nothing pass
// readiness through and are no work.
struct Work : Task {
  InstructionId instruction;
  int32_t global_index = 0;
  int32_t step = -1;
  bool synchronises = false;  // for its round (rounds.h)
  bool launches = true;       // elementwise work that only feeds such is launched with it
  bool untimed = false;       // takes no time, nor do its transfers
  const Task& task() const { return *this; }
  bool sends() const { return kind == WorkKind::collective && schedule != nullptr && schedule->steps() > 0; }
  int32_t steps() const { return call != nullptr ? call->steps : schedule->steps(); }
};

// Where products and copies are shown, whether they wait for it or not.
inline int32_t lane_of(const Work& work, const Fabric& fabric) {
  return work.kind == WorkKind::copy ? fabric.copy_lane() : 0;
}

// What takes `cost` takes on a device with that share of the normal speed.
inline Cost at_speed(Cost cost, double speed) {
  if (speed == 1) return cost;
  cost.compute = static_cast<Picoseconds>(std::ceil(static_cast<double>(cost.compute) / speed));
  cost.memory = static_cast<Picoseconds>(std::ceil(static_cast<double>(cost.memory) / speed));
  return cost;
}

// A program as work and what waits for what: the readers of work w are readers[first_reader[w] .. [w+1]).
// Numbers from count() on are joins (Dependencies).
struct WorkPlan {
  std::vector<Work> works;
  std::vector<int32_t> kinds;  // by number, which of `works` it is: many may be one; empty: each is its own
  std::vector<int32_t> readers, first_reader;
  std::vector<int32_t> waits_for;  // how many others each work, then each join, needs
  std::vector<int32_t> work_of;    // by instruction of the entry; -1: costs nothing. A fused add: its dot's
  std::vector<InstructionId> fused_add;  // by instruction: the add that a dot does as well, or none
  std::vector<std::string> assumptions;
  std::vector<EventKey> untimed_events;                                 // sorted
  Picoseconds give_up_after = std::numeric_limits<Picoseconds>::max();  // it is not played further
  bool gives_up() const { return give_up_after != std::numeric_limits<Picoseconds>::max(); }
  size_t count() const { return kinds.empty() ? works.size() : kinds.size(); }
  const Work& work(int32_t number) const {
    const auto at = static_cast<size_t>(number);
    return works[kinds.empty() ? at : static_cast<size_t>(kinds[at])];
  }
  bool takes_no_time(const EventKey& event) const {
    return std::binary_search(untimed_events.begin(), untimed_events.end(), event);
  }
};

// Says who reads whom among so many works and joins. `each_need` hands every pair (what is needed, its
// reader) to a function, in the same order each time.
template <class EachNeed>
void link_readers(size_t nodes, const EachNeed& each_need, WorkPlan& plan) {
  plan.waits_for.assign(nodes, 0);
  plan.first_reader.assign(nodes + 1, 0);
  each_need([&](int32_t need, int32_t reader) {
    ++plan.waits_for[static_cast<size_t>(reader)];
    ++plan.first_reader[static_cast<size_t>(need) + 1];
  });
  std::partial_sum(plan.first_reader.begin(), plan.first_reader.end(), plan.first_reader.begin());
  plan.readers.resize(static_cast<size_t>(plan.first_reader.back()));
  std::vector<int32_t> next(plan.first_reader.begin(), plan.first_reader.end() - 1);
  each_need([&](int32_t need, int32_t reader) {
    plan.readers[static_cast<size_t>(next[static_cast<size_t>(need)]++)] = reader;
  });
}

// Of a collective with a schedule: whether it is a permute whose ranks are devices, in one group and one
// step.
bool moves_devices(const Work& work, int32_t devices);

// By instruction of the entry the add that a dot does as well, or none. `called`: those that kernels stand
// for: a kernel writes its product and adds nothing to it.
std::vector<InstructionId> find_fused_adds(const Computation& computation, const std::vector<bool>& called);

// Errors: unpublished numbers that the program needs, instructions without a cost rule, algorithms that are
// not legal on a group, cancelled.
Result<WorkPlan> plan_work(const Program& program, const Hardware& hardware, const Fabric& fabric,
                           const PlanOptions& options, AlgorithmChooser& fastest,
                           const std::stop_token& stop = {});

// Error: its products alone take longer than picoseconds can count. `times`: by work, how often it is played;
// empty: once each.
Result<void> require_countable(const WorkPlan& plan, const Fabric& fabric,
                               const std::vector<int64_t>& times = {});

// What each work takes on other hardware, and what takes no time (PlanOptions::untimed): the costs of the
// plan, all else as it is. Not for works with kernels.
Result<void> time_works(const Program& program, const Hardware& hardware, const Fabric& fabric,
                        const ModuleTiming& timing, WorkPlan& plan);
void leave_out(const Untimed& untimed, WorkPlan& plan);

}  // namespace shardscope::inline planner
