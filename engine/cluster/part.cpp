// SPDX-License-Identifier: Apache-2.0
#include "engine/cluster/part.h"

#include <algorithm>

#include "engine/program/analysis/analysis.h"

namespace shardscope::inline cluster {
namespace {

constexpr size_t kMostNoted = size_t{1} << 20;

// Whether an instruction does something itself, so that its time is its own.
bool is_work(const Instruction& i) {
  return !has(i.opcode, Trait::part) && !is_free(i);
}

}  // namespace

Division Division::of(int64_t devices, int ranks) {
  return {devices, static_cast<int>(std::min<int64_t>(devices, ranks))};
}

int Division::rank_of(DeviceId device) const {
  const int64_t each = devices / ranks, more = devices % ranks, d = device.value;
  const int64_t in_larger = more * (each + 1);
  return static_cast<int>(d < in_larger ? d / (each + 1) : more + (d - in_larger) / each);
}

std::vector<DeviceId> Division::devices_of(int rank) const {
  std::vector<DeviceId> out;
  for (int64_t d = 0; d < devices; ++d)
    if (rank_of(DeviceId(d)) == rank) out.emplace_back(d);
  return out;
}

Part::Part(Link& link, Task task, const Workers& workers)
    : link_(link),
      task_(std::move(task)),
      here_(task_.division.devices_of(link.rank())),
      interpreter_(task_.program, workers, task_.trap_slices, task_.isa) {
  interpreter_.share(here_, *this);
  interpreter_.follow(task_.schedules);
  int32_t number = 0;
  for (const Computation& computation : task_.program.computations)
    for (const Instruction& i : computation.instructions) {
      if (is_work(i)) index_.try_emplace(i.name, number);
      ++number;
    }
}

bool Part::does(const Ranks::Job& job) const {
  return task_.trap_slices == job.trap_slices && task_.isa == job.isa && task_.schedules == job.schedules &&
         task_.program == job.program;
}

Result<DeviceValues> Part::run(int64_t job, RunLimits limits, Link::GoOn go_on,
                               const std::function<void(double)>& progress) {
  task_.number = job;
  go_on_ = std::move(go_on);
  log_.clear();
  if (!link_.largest(0, task_.division.ranks, go_on_)) return cancelled();
  started_ = time_of(Clock::now());
  auto root = interpreter_.run_values(parameters_, std::move(limits), progress);
  ended_ = time_of(Clock::now());
  return root;
}

Result<void> Part::exchange(const Instruction& what, const std::vector<Delivery>& deliveries) {
  const int64_t ready = time_of(Clock::now());
  const int32_t index = index_of(what);
  const auto came = link_.exchange(
      deliveries, [this](DeviceId device) { return task_.division.rank_of(device); }, task_.number, go_on_);
  if (!came) return cancelled();
  for (const Link::Came& c : *came) {
    const Delivery& d = deliveries[c.delivery];
    const auto kind = d.to.empty() ? WorkEntry::Kind::sent : WorkEntry::Kind::came;
    note({kind, index, d.source.value, d.target.value, d.step, link_.rank(), d.bytes, ready, time_of(c.at)});
  }
  return {};
}

Result<bool> Part::agree(int64_t number) {
  const int ranks = task_.division.ranks;
  const auto most = link_.largest(number, ranks, go_on_);
  const auto least = most ? link_.largest(-number, ranks, go_on_) : most;
  if (!least) return cancelled();
  return *most == -*least;
}

void Part::worked(const Instruction& what, Clock::time_point start, Clock::time_point end) {
  const int32_t index = index_of(what);
  if (index >= 0)
    note({WorkEntry::Kind::worked, index, -1, -1, 0, link_.rank(), 0, time_of(start), time_of(end)});
}

int32_t Part::index_of(const Instruction& what) const {
  const auto known = index_.find(what.name);
  return known == index_.end() ? -1 : known->second;
}

int64_t Part::time_of(Clock::time_point when) const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(when.time_since_epoch()).count() -
         task_.clock_ahead;
}

void Part::note(WorkEntry entry) {
  if (log_.size() < kMostNoted) log_.push_back(entry);
}

}  // namespace shardscope::inline cluster
