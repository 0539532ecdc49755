// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/schedule/simulator.h"

namespace shardscope::inline scheduler {

namespace {

constexpr size_t kFewestMessages = 16;  // below it single ones are as fast

// On from a rank or a chunk, modulo as many as there are.
int32_t moved(int32_t from, int32_t distance, int32_t all) {
  return from < all - distance ? from + distance : from - (all - distance);
}

}  // namespace

bool Locksteps::begins() {
  if (!allowed_ || of_.asks_.size() < kFewestMessages) return false;
  const LaneRequest& first = of_.asks_.front();
  if (first.kind != LaneRequest::Kind::transfer || first.flight >= 0) return false;
  const Work& work = of_.plan_.work(first.work);
  if (work.untimed || of_.asks_.size() < static_cast<size_t>(work.schedule->ranks()) ||
      first.step + 1 >= work.schedule->steps() || !LockstepPattern::suits(*work.schedule, work.rank_axes))
    return false;
  const CollectiveRun& run = *of_.runs_[static_cast<size_t>(first.run)];
  if (!run.bytes_.all_equal() || !all_begin() || !pattern_.read(*work.schedule, first.step)) return false;
  if (spare_.empty()) {
    spare_.push_back(static_cast<int32_t>(all_.size()));
    all_.emplace_back();
  }
  const int32_t number = spare_.back();
  Lockstep& it = all_[static_cast<size_t>(number)];
  take_up(it, run.cell(first.step, first.slot).ready);
  if (!play(it)) return false;
  spare_.pop_back();
  go_on(number);
  return true;
}

// Whether what asks is all that some groups send in a step, over one link each, ready since the same moment.
bool Locksteps::all_begin() {
  const LaneRequest& first = of_.asks_.front();
  const CollectiveRun& its = *of_.runs_[static_cast<size_t>(first.run)];
  const Moment ready = its.cell(first.step, first.slot).ready;
  const Moment operand = its.ranks_[0].operand;
  const CollectiveGroups& groups = *of_.plan_.work(first.work).groups;
  asked_of_run_.resize(of_.runs_.size());
  size_t open = 0;
  const auto begins_alike = [&](const LaneRequest& request) {
    if (request.kind != LaneRequest::Kind::transfer || request.flight >= 0 || request.work != first.work ||
        request.step != first.step)
      return false;
    const CollectiveRun& run = *of_.runs_[static_cast<size_t>(request.run)];
    const Cell& cell = run.cell(request.step, request.slot);
    if (asked_of_run_[static_cast<size_t>(request.run)]++ == 0) {
      if (!waits_at(run, request.step)) return false;
      open += static_cast<size_t>(run.block(request.step).open);
    }
    const int32_t rank = groups.rank_of[static_cast<size_t>(request.source)];
    return run.device(cell.target) == request.next && cell.ready.ties_with(ready) &&
           run.ranks_[static_cast<size_t>(rank)].operand.ties_with(operand);
  };
  const auto end = std::find_if_not(of_.asks_.begin(), of_.asks_.end(), begins_alike);
  const bool alike = end == of_.asks_.end();
  for (auto seen = of_.asks_.begin(); seen != (alike ? end : end + 1); ++seen)
    if (seen->kind == LaneRequest::Kind::transfer) asked_of_run_[static_cast<size_t>(seen->run)] = 0;
  return alike && open == of_.asks_.size();
}

// What asks as a lockstep.
void Locksteps::take_up(Lockstep& it, const Moment& ready) {
  const LaneRequest& first = of_.asks_.front();
  it.work = first.work;
  it.step = first.step;
  it.bytes = of_.runs_[static_cast<size_t>(first.run)]->bytes(first.chunk, pattern_.count());
  it.ready = ready;
  it.messages.clear();
  const CollectiveGroups& groups = *of_.plan_.work(first.work).groups;
  for (const LaneRequest& request : of_.asks_) {
    const CollectiveRun& run = *of_.runs_[static_cast<size_t>(request.run)];
    it.messages.push_back({request.source, request.next, request.lane, request.run,
                           groups.rank_of[static_cast<size_t>(request.source)],
                           run.slot_of_rank(request.step, request.slot), request.chunk,
                           run.cell(request.step, request.slot).ready.event});
  }
}

// All that happens is the next step of a lockstep: it goes on, when it can.
bool Locksteps::goes_on() {
  if (of_.batch_.front().kind != LaneRequest::Kind::lockstep || of_.batch_.size() > 1) return false;
  const int32_t number = of_.batch_.front().run;
  Lockstep& it = all_[static_cast<size_t>(number)];
  const CollectiveSchedule& schedule = *of_.plan_.work(it.work).schedule;
  if (!it.goes_straight || it.step + 1 >= schedule.steps() || !pattern_.read(schedule, it.step)) return false;
  it.bytes = of_.runs_[static_cast<size_t>(it.messages[0].run)]->bytes(0, pattern_.count());
  if (!play(it)) return false;
  go_on(number);
  return true;
}

// Whether no message has to wait for its link, not even for another of the step.
bool Locksteps::links_are_idle(const Lockstep& it) {
  bool idle = true;
  for (const Lockstep::Message& message : it.messages) {
    Simulator::LaneState& lane = of_.lanes_[static_cast<size_t>(message.lane)];
    idle = idle && lane.free.time <= of_.now_ && !lane.has_waiting && !lane.touched;
    lane.touched = true;
  }
  for (const Lockstep::Message& message : it.messages)
    of_.lanes_[static_cast<size_t>(message.lane)].touched = false;
  return idle;
}

// The last event and a device's spans are none of these: the last step, which asks one by one, ends later.
bool Locksteps::play(Lockstep& it) {
  const Work& work = of_.plan_.work(it.work);
  const LinkPace* pace = work.pace ? &*work.pace : nullptr;
  MessageSpans& spans = of_.message_;
  if (it.bytes != spans.bytes || spans.link_class != 0 || pace != spans.pace)
    spans.set(of_.fabric_, it.bytes, 0, pace);
  if (spans.passes.time <= 0 || !links_are_idle(it)) return false;
  const Moment end = it.ready.after(spans.passes);
  Moment free = of_.fabric_.has_port() ? it.ready.after(spans.held) : end;
  EventRecorder& recorder = of_.recorder_;
  for (Lockstep::Message& message : it.messages) {
    if (recorder.keeps_events()) message.cause = record(it, message, end.time);
    free.event = message.cause;
    of_.lanes_[static_cast<size_t>(message.lane)].free = free;
    of_.loads_.sends(it.work, message.lane, it.ready.time, free.time - it.ready.time);
    // As many come to a rank as leave it.
    DeviceTotals& totals = recorder.totals(message.device);
    totals.bytes_sent += it.bytes;
    totals.bytes_received += it.bytes;
    recorder.of(message.device).communicates({it.ready.time, end.time});
  }
  const auto count = static_cast<int64_t>(it.messages.size());
  of_.bytes_sent_[static_cast<size_t>(it.work)] += count * it.bytes;
  recorder.count_together(count);
  it.ready = end;
  return true;
}

int64_t Locksteps::record(const Lockstep& it, const Lockstep::Message& message, Picoseconds end) {
  Event e = event_of(of_.plan_.work(it.work), EventKind::transfer, message.device,
                     of_.routes_.lane_of(message.device, message.lane), {it.ready.time, end});
  e.transfer_step = it.step;
  e.peer = message.next;
  e.chunk = message.chunk;
  e.chunk_count = pattern_.count();
  e.bytes = it.bytes;
  return of_.recorder_.add(e, message.cause, {it.work, it.step, message.slot, message.device});
}

// To the next step, of which `pattern_` has read what it sends.
void Locksteps::go_on(int32_t number) {
  Lockstep& it = all_[static_cast<size_t>(number)];
  const CollectiveSchedule& schedule = *of_.plan_.work(it.work).schedule;
  const int32_t ranks = schedule.ranks();
  const int32_t chunks = schedule.chunks(), shard = chunks / ranks;
  it.goes_straight = true;
  LaneRequest link;
  for (Lockstep::Message& message : it.messages) {
    const LockstepPattern::Sent& sent = pattern_.now()[static_cast<size_t>(message.slot)];
    const LockstepPattern::Sent& then = pattern_.then()[static_cast<size_t>(sent.after)];
    message.rank = moved(message.rank, sent.distance, ranks);
    message.slot = sent.after;
    // What a rank sends is that of rank 0, shard by shard further.
    message.chunk = moved(then.chunk, message.rank * shard, chunks);
    message.device = message.next;
    const CollectiveRun& run = *of_.runs_[static_cast<size_t>(message.run)];
    const int32_t target = run.device(moved(message.rank, then.distance, ranks));
    of_.route(link, message.device, target, then.direction);
    message.next = link.next;
    message.lane = link.lane;
    it.goes_straight = it.goes_straight && link.next == target;
  }
  ++it.step;
  LaneRequest& next = of_.calendar_.push(it.ready.time);
  next.kind = LaneRequest::Kind::lockstep;
  next.run = number;
}

// Whether all that is under way are the transfers of `step`, none of which has started.
bool Locksteps::waits_at(const CollectiveRun& run, int32_t step) {
  return run.made_ == step + 1 && run.blocks_.size() == 1 && run.first_step_ == step;
}

// The steps before `step` have come and gone, the last of it at `latest`; the transfers of `step` wait since
// then.
void Locksteps::resume(CollectiveRun& run, int32_t step, const Moment& latest) {
  for (CollectiveRun::Step& gone : run.blocks_) run.spare_.push_back(std::move(gone));
  run.blocks_.clear();
  run.made_ = step;
  for (CollectiveRun::Rank& r : run.ranks_) {
    r.open = 0;
    r.latest.no_earlier_than(latest);
  }
  run.begins_ = latest;
  run.make_next();
}

void Locksteps::end(int32_t number) {
  const Lockstep& it = all_[static_cast<size_t>(number)];
  for (const Lockstep::Message& message : it.messages) {
    CollectiveRun& run = *of_.runs_[static_cast<size_t>(message.run)];
    if (!waits_at(run, it.step)) resume(run, it.step, it.ready);
    CollectiveRun::Step& step = run.block(it.step);
    LaneRequest& request = of_.asks_.emplace_back();
    request.kind = LaneRequest::Kind::transfer;
    request.source = message.device;
    request.work = it.work;
    request.step = it.step;
    request.run = message.run;
    request.slot = (message.rank << step.shift) + message.slot;
    Cell& cell = step.cells[static_cast<size_t>(request.slot)];
    cell.ready.event = message.cause;
    CHECK(cell.chunk == message.chunk, "a symmetric schedule turns", it.step, message.rank);
    request.ready = run.ready_since(cell, message.rank);
    request.chunk = cell.chunk;
    request.lane = message.lane;
    request.next = message.next;
  }
  spare_.push_back(number);
}

}  // namespace shardscope::inline scheduler
