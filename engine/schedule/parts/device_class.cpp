// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/parts/device_class.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "engine/schedule/events/to_index.h"

namespace shardscope::inline scheduler {

namespace {

// Its lanes take the first by this.
constexpr auto waiting_key = [](const auto& it) { return it.key(); };

}  // namespace

DeviceClass::DeviceClass(const WorkPlan& plan, std::vector<int32_t> of)
    : devices(std::move(of)),
      waits_(plan.waits_for),
      slot_(plan.waits_for.size(), -1),
      spans_(plan.works.size()),
      open_(static_cast<int64_t>(plan.works.size())) {}

void DeviceClass::begin(const WorkPlan& plan, Follows& follows) {
  for (int32_t w = 0; w < static_cast<int32_t>(plan.works.size()); ++w) {
    if (plan.waits_for[to_index(w)] > 0) continue;
    Moment operand;
    if (ready_now(plan, w, operand, follows)) finish(plan, w, operand, follows);
  }
}

bool DeviceClass::ready_now(const WorkPlan& plan, int32_t w, Moment& operand, Follows& follows) {
  const Work& work = plan.work(w);
  const bool copies = work.kind == WorkKind::copy;
  WorkSpan& span = spans_[to_index(w)];
  if (work.kind != WorkKind::collective) {
    if (work.cost.total() > 0) {
      std::vector<Waiting>& waiting = queues_[copies ? 1 : 0].waiting;
      waiting.push_back({operand, w});
      std::ranges::push_heap(waiting, std::greater<>(), waiting_key);
      return false;
    }
    count_flops(work);
    span.start = operand.time;
    follows.played.push_back({w, copies, operand});
    return true;
  }
  if (work.steps() > 0) {
    follows.ready.push_back({w, operand});
    return false;
  }
  span.start = std::min(span.start, operand.time);
  operand = operand.after(work.cost);
  return true;
}

int32_t DeviceClass::partly(int32_t node) {
  int32_t& slot = slot_[to_index(node)];
  if (slot >= 0) return slot;
  if (spare_.empty()) {
    slot = static_cast<int32_t>(partly_.size());
    partly_.emplace_back();
  } else {
    slot = spare_.back();
    spare_.pop_back();
    partly_[to_index(slot)] = {};
  }
  return slot;
}

// As Simulator::finish.
void DeviceClass::finish(const WorkPlan& plan, int32_t work, const Moment& end, Follows& follows) {
  struct Done {
    int32_t of;  // a work or join
    Moment latest;
    int32_t whose;
  };
  const auto works = static_cast<int32_t>(plan.works.size());
  std::vector<Done> reached{{work, end, work}};
  while (!reached.empty()) {
    const Done done = reached.back();
    reached.pop_back();
    if (done.of < works) {
      spans_[to_index(done.of)].end = done.latest.time;
      --open_;
    }
    const int32_t last = plan.first_reader[to_index(done.of) + 1];
    for (int32_t i = plan.first_reader[to_index(done.of)]; i < last; ++i) {
      const int32_t reader = plan.readers[to_index(i)];
      const int32_t slot = partly(reader);
      Partly& it = partly_[to_index(slot)];
      if (it.whose < 0 ||
          (done.latest.ties_with(it.latest) ? done.whose < it.whose : done.latest.counts_before(it.latest))) {
        it.latest = done.latest;
        it.whose = done.whose;
      }
      if (--waits_[to_index(reader)] > 0) continue;
      Moment operand = it.latest;
      const int32_t whose = it.whose;
      slot_[to_index(reader)] = -1;
      spare_.push_back(slot);
      if (reader >= works) {
        reached.push_back({reader, operand, whose});
      } else if (ready_now(plan, reader, operand, follows)) {
        reached.push_back({reader, operand, reader});
      }
    }
  }
}

void DeviceClass::receive(const WorkPlan& plan, int32_t work, const Outcome& outcome, const Moment& base,
                          Follows& follows) {
  spans_[to_index(work)].start = outcome.start + base.time;
  if (outcome.sent > 0) spans_[to_index(work)].sent = outcome.sent + base.time;
  counts(outcome);
  finish(plan, work, outcome.end.after(base), follows);
}

std::optional<Picoseconds> DeviceClass::next() const {
  std::optional<Picoseconds> out;
  for (const Queue& queue : queues_) {
    if (queue.waiting.empty()) continue;
    const Picoseconds begins = std::max(queue.free.time, queue.waiting.front().ready.time);
    out = out ? std::min(*out, begins) : begins;
  }
  return out;
}

// What follows is ready later: all that takes a lane takes time.
void DeviceClass::serve(const WorkPlan& plan, const Fabric& fabric, Picoseconds now, Follows& follows) {
  for (size_t q = 0; q < queues_.size(); ++q) {
    const Queue& queue = queues_[q];
    while (!queue.waiting.empty() && queue.waiting.front().ready.time <= now && queue.free.time <= now)
      play(plan, fabric, q, follows);
  }
}

// As Simulator::compute.
void DeviceClass::play(const WorkPlan& plan, const Fabric& fabric, size_t of_queue, Follows& follows) {
  Queue& queue = queues_[of_queue];
  const Waiting next = queue.waiting.front();
  std::ranges::pop_heap(queue.waiting, std::greater<>(), waiting_key);
  queue.waiting.pop_back();
  const Work& work = plan.work(next.work);
  const bool copies = work.kind == WorkKind::copy;
  Moment start = next.ready;
  start.no_earlier_than(queue.free);
  const Moment end = start.after(at_speed(work.cost, fabric.speed(devices.front())));
  if (!copies) {
    totals_.compute += end.time - start.time;
    busy_.add({start.time, end.time});
  }
  count_flops(work);
  queue.free = end;
  spans_[to_index(next.work)].start = start.time;
  follows.played.push_back({next.work, copies, end});
  finish(plan, next.work, end, follows);
}

DeviceTotals DeviceClass::totals(Picoseconds run) const {
  DeviceTotals out = totals_;
  const Picoseconds any = busy_.length();
  out.comm = comm_.length();
  out.exposed = any - out.compute;
  out.idle = run - any;
  return out;
}

}  // namespace shardscope::inline scheduler
