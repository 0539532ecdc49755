// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/parts/device_class.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "engine/schedule/events/to_index.h"

namespace shardscope {

namespace {

// How requests are taken, and in which order they come.
constexpr auto asked_key = [](const auto& it) { return std::tuple(it.ready.time, it.work); };
constexpr auto asking = [](const auto& it) { return std::tuple(it.asks(), it.is_late(), it.work); };

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
    SectionOperand operand{Moment(), -1, false};
    if (ready_now(plan, w, operand, follows)) finish(plan, w, operand.ready, {operand.told, false}, follows);
  }
}

bool DeviceClass::ready_now(const WorkPlan& plan, int32_t w, SectionOperand& operand, Follows& follows) {
  const Work& work = plan.work(w);
  const bool copies = work.kind == WorkKind::copy;
  WorkSpan& span = spans_[to_index(w)];
  if (work.kind != WorkKind::collective) {
    if (work.cost.total() > 0) {
      wait(copies ? 1 : 0, {operand.ready, w, operand.told});
      return false;
    }
    count_flops(work);
    span.start = operand.ready.time;
    follows.played.push_back({w, copies, operand.ready});
    return true;
  }
  if (work.steps() > 0) {
    follows.ready.push_back({w, operand});
    return false;
  }
  span.start = std::min(span.start, operand.ready.time);
  operand.ready = operand.ready.after(work.cost);
  return true;
}

void DeviceClass::wait(size_t q, const Waiting& it) {
  Queue& queue = queues_[q];
  if (it.asks() > now_) {
    queue.coming.push_back(it);
    std::ranges::push_heap(queue.coming, std::greater<>(), asking);
    return;
  }
  is_tied_ = is_tied_ || q != serving_ || it.ready.time == now_;
  queue.asked.push_back(it);
  std::ranges::push_heap(queue.asked, std::greater<>(), asked_key);
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
void DeviceClass::finish(const WorkPlan& plan, int32_t work, const Moment& end, Known known,
                         Follows& follows) {
  struct Done {
    int32_t of;  // a work or join
    Moment latest;
    int32_t whose;
    Known known;
  };
  const auto works = static_cast<int32_t>(plan.works.size());
  std::vector<Done> reached{{work, end, work, known}};
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
      it.known.told = std::max(it.known.told, done.known.told);
      it.known.looks_back = it.known.looks_back || done.known.looks_back;
      if (it.whose < 0 ||
          (done.latest.ties_with(it.latest) ? done.whose < it.whose : done.latest.counts_before(it.latest))) {
        it.latest = done.latest;
        it.whose = done.whose;
      }
      if (--waits_[to_index(reader)] > 0) continue;
      SectionOperand operand{it.latest, it.known.told, it.known.looks_back};
      const Known since = it.known;
      const int32_t whose = it.whose;
      slot_[to_index(reader)] = -1;
      spare_.push_back(slot);
      if (reader >= works) {
        reached.push_back({reader, operand.ready, whose, since});
      } else if (ready_now(plan, reader, operand, follows)) {
        reached.push_back({reader, operand.ready, reader, since});
      }
    }
  }
}

void DeviceClass::receive(const WorkPlan& plan, int32_t work, const Outcome& outcome, const Moment& base,
                          Known known, Follows& follows) {
  spans_[to_index(work)].start = outcome.start + base.time;
  if (outcome.sent > 0) spans_[to_index(work)].sent = outcome.sent + base.time;
  counts(outcome);
  Moment end = outcome.end.after(base);
  finish(plan, work, end, known, follows);
}

std::optional<Picoseconds> DeviceClass::next() const {
  std::optional<Picoseconds> out;
  const auto at = [&](Picoseconds time) { out = out ? std::min(*out, time) : time; };
  for (const Queue& queue : queues_) {
    if (!queue.asked.empty()) at(queue.free.time);
    if (!queue.coming.empty()) at(queue.coming.front().asks());
  }
  return out;
}

bool DeviceClass::serve(const WorkPlan& plan, const Fabric& fabric, Picoseconds now, Follows& follows) {
  now_ = now;
  for (serving_ = 0; serving_ < queues_.size(); ++serving_) {
    Queue& queue = queues_[serving_];
    for (const bool late : {false, true}) {
      while (!queue.coming.empty() && queue.coming.front().asks() == now &&
             queue.coming.front().is_late() == late) {
        // Of what asks late it is only told when it begins where the lane was free all the time since.
        is_tied_ = is_tied_ || (late && queue.free.time > queue.coming.front().ready.time);
        queue.asked.push_back(queue.coming.front());
        std::ranges::push_heap(queue.asked, std::greater<>(), asked_key);
        std::ranges::pop_heap(queue.coming, std::greater<>(), asking);
        queue.coming.pop_back();
      }
      while (!queue.asked.empty() && queue.free.time <= now) play(plan, fabric, follows);
    }
  }
  return !is_tied_;
}

// As Simulator::compute.
void DeviceClass::play(const WorkPlan& plan, const Fabric& fabric, Follows& follows) {
  Queue& queue = queues_[serving_];
  const Waiting next = queue.asked.front();
  std::ranges::pop_heap(queue.asked, std::greater<>(), asked_key);
  queue.asked.pop_back();
  const Work& work = plan.work(next.work);
  const bool copies = work.kind == WorkKind::copy;
  Moment start = next.ready;
  start.no_earlier_than(queue.free);
  const Moment end = start.after(at_speed(work.cost, fabric.speed(devices.front())));
  if (!copies) {
    totals_.compute += end.time - start.time;
    busy_.add(start.time, end.time);
  }
  count_flops(work);
  queue.free = end;
  spans_[to_index(next.work)].start = start.time;
  follows.played.push_back({next.work, copies, end});
  finish(plan, next.work, end, {now_, start.time < now_}, follows);
}

DeviceTotals DeviceClass::totals(Picoseconds run) const {
  DeviceTotals out = totals_;
  const Picoseconds any = busy_.total();
  out.comm = comm_.total();
  out.exposed = any - out.compute;
  out.idle = run - any;
  return out;
}

}  // namespace shardscope
