// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/parts/device_class.h"

#include <algorithm>
#include <utility>

#include "engine/schedule/awaited.h"

namespace shardscope::inline scheduler {

DeviceClass::DeviceClass(const WorkPlan& plan, double speed, std::vector<int32_t> of)
    : devices(std::move(of)),
      plan_(&plan),
      speed_(speed),
      waits_(plan.waits_for),
      spans_(plan.works.size()),
      open_(static_cast<int64_t>(plan.works.size())) {}

void DeviceClass::begin() {
  for (int32_t w = 0; w < static_cast<int32_t>(plan_->works.size()); ++w)
    if (plan_->waits_for[to_index(w)] == 0) ready({Moment(), w});
}

void DeviceClass::ready(const There& operand) {
  const Work& work = plan_->work(operand.work);
  const bool copies = work.kind == WorkKind::copy, collective = work.kind == WorkKind::collective;
  if (collective && work.steps() > 0) return follows_.ready.push_back(operand);
  if (!collective && work.cost.total() > 0) return queues_[copies ? 1 : 0].waiting.push(operand);
  WorkSpan& span = spans_[to_index(operand.work)];
  span.start = std::min(span.start, operand.at.time);
  if (!collective) follows_.played.push_back(operand);
  at_once_.push_back({operand.at.after(work.cost), operand.work});
  if (at_once_.size() > 1) return;
  for (size_t i = 0; i < at_once_.size(); ++i) finish(There(at_once_[i]));
  at_once_.clear();
}

void DeviceClass::finish(const There& done) {
  spans_[to_index(done.work)].end = done.at.time;
  --open_;
  std::vector<int32_t> reached;
  const auto at = [&](int32_t node) {
    Partly& its = partly_[node];
    return Awaited{waits_[to_index(node)], its.latest, its.whose};
  };
  tell_readers(*plan_, done.work, done.at, reached, at, [&](int32_t reader, const Moment& latest) {
    const There operand{latest, reader};
    partly_.erase(reader);
    ready(operand);
  });
}

void DeviceClass::receive(int32_t work, const Outcome& outcome, const Moment& base) {
  spans_[to_index(work)].start = outcome.start + base.time;
  if (outcome.sent > 0) spans_[to_index(work)].sent = outcome.sent + base.time;
  sums_.totals.bytes_sent += outcome.bytes_sent;
  sums_.totals.bytes_received += outcome.bytes_received;
  sums_.totals.bytes_relayed += outcome.bytes_relayed;
  finish({outcome.end.after(base), work});
}

std::optional<Picoseconds> DeviceClass::next() const {
  std::optional<Picoseconds> out;
  for (const Queue& queue : queues_) {
    if (queue.waiting.empty()) continue;
    const Picoseconds begins = std::max(queue.free.time, queue.waiting.top().at.time);
    out = out ? std::min(*out, begins) : begins;
  }
  return out;
}

// What follows is ready later: all that takes a lane takes time.
void DeviceClass::serve(Picoseconds now) {
  for (Queue& queue : queues_)
    while (!queue.waiting.empty() && queue.waiting.top().at.time <= now && queue.free.time <= now)
      play(queue);
}

// As Simulator::compute.
void DeviceClass::play(Queue& queue) {
  const There next = queue.waiting.top();
  queue.waiting.pop();
  const Work& work = plan_->work(next.work);
  Moment start = next.at;
  start.no_earlier_than(queue.free);
  queue.free = start.after(at_speed(work.cost, speed_));
  if (work.kind == WorkKind::compute) sums_.computes({start.time, queue.free.time});
  spans_[to_index(next.work)].start = start.time;
  follows_.played.push_back({queue.free, next.work});
  finish({queue.free, next.work});
}

}  // namespace shardscope::inline scheduler
