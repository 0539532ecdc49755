// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/parts/device_class.h"

#include <algorithm>
#include <utility>

#include "engine/schedule/awaited.h"

namespace shardscope::inline scheduler {

DeviceClass::DeviceClass(const WorkPlan& plan, std::vector<int32_t> of)
    : devices(std::move(of)),
      waits_(plan.waits_for),
      spans_(plan.works.size()),
      open_(static_cast<int64_t>(plan.works.size())) {}

void DeviceClass::begin(const WorkPlan& plan, Follows& follows) {
  for (int32_t w = 0; w < static_cast<int32_t>(plan.works.size()); ++w)
    if (plan.waits_for[to_index(w)] == 0) ready(plan, w, Moment(), follows);
}

void DeviceClass::ready(const WorkPlan& plan, int32_t w, const Moment& operand, Follows& follows) {
  const Work& work = plan.work(w);
  const bool copies = work.kind == WorkKind::copy, collective = work.kind == WorkKind::collective;
  if (collective && work.steps() > 0) return follows.ready.push_back({w, operand});
  if (!collective && work.cost.total() > 0) return queues_[copies ? 1 : 0].waiting.push({operand, w});
  WorkSpan& span = spans_[to_index(w)];
  span.start = std::min(span.start, operand.time);
  if (!collective) {
    count_flops(work);
    follows.played.push_back({w, copies, operand});
  }
  at_once_.push_back({operand.after(work.cost), w});
  if (at_once_.size() > 1) return;
  for (size_t i = 0; i < at_once_.size(); ++i) {
    const Waiting done = at_once_[i];
    finish(plan, done.work, done.ready, follows);
  }
  at_once_.clear();
}

void DeviceClass::finish(const WorkPlan& plan, int32_t work, const Moment& end, Follows& follows) {
  spans_[to_index(work)].end = end.time;
  --open_;
  std::vector<int32_t> reached;
  const auto at = [&](int32_t node) {
    Partly& its = partly_[node];
    return Awaited{waits_[to_index(node)], its.latest, its.whose};
  };
  tell_readers(plan, work, end, reached, at, [&](int32_t reader, const Moment& latest) {
    const Moment operand = latest;
    partly_.erase(reader);
    ready(plan, reader, operand, follows);
  });
}

void DeviceClass::receive(const WorkPlan& plan, int32_t work, const Outcome& outcome, const Moment& base,
                          Follows& follows) {
  spans_[to_index(work)].start = outcome.start + base.time;
  if (outcome.sent > 0) spans_[to_index(work)].sent = outcome.sent + base.time;
  sums_.totals.bytes_sent += outcome.bytes_sent;
  sums_.totals.bytes_received += outcome.bytes_received;
  sums_.totals.bytes_relayed += outcome.bytes_relayed;
  finish(plan, work, outcome.end.after(base), follows);
}

std::optional<Picoseconds> DeviceClass::next() const {
  std::optional<Picoseconds> out;
  for (const Queue& queue : queues_) {
    if (queue.waiting.empty()) continue;
    const Picoseconds begins = std::max(queue.free.time, queue.waiting.top().ready.time);
    out = out ? std::min(*out, begins) : begins;
  }
  return out;
}

// What follows is ready later: all that takes a lane takes time.
void DeviceClass::serve(const WorkPlan& plan, const Fabric& fabric, Picoseconds now, Follows& follows) {
  for (size_t q = 0; q < queues_.size(); ++q) {
    const Queue& queue = queues_[q];
    while (!queue.waiting.empty() && queue.waiting.top().ready.time <= now && queue.free.time <= now)
      play(plan, fabric, q, follows);
  }
}

// As Simulator::compute.
void DeviceClass::play(const WorkPlan& plan, const Fabric& fabric, size_t of_queue, Follows& follows) {
  Queue& queue = queues_[of_queue];
  const Waiting next = queue.waiting.top();
  queue.waiting.pop();
  const Work& work = plan.work(next.work);
  const bool copies = work.kind == WorkKind::copy;
  Moment start = next.ready;
  start.no_earlier_than(queue.free);
  const Moment end = start.after(at_speed(work.cost, fabric.speed(devices.front())));
  if (!copies) sums_.computes({start.time, end.time});
  count_flops(work);
  queue.free = end;
  spans_[to_index(next.work)].start = start.time;
  follows.played.push_back({next.work, copies, end});
  finish(plan, next.work, end, follows);
}

}  // namespace shardscope::inline scheduler
