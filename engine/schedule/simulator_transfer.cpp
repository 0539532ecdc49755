// SPDX-License-Identifier: Apache-2.0
// The messages of collectives: what asks for a link, what happens on it, what follows.
#include <algorithm>
#include <utility>

#include "engine/schedule/simulator.h"

namespace shardscope::inline scheduler {
namespace {

int32_t class_of_link(const Fabric& fabric, const LaneRequest& request, int32_t at) {
  if (fabric.link_classes() == 1) return 0;
  return fabric.link_class({at, request.lane % fabric.lane_count(), request.next});
}

}  // namespace

void Simulator::take(int32_t w, int32_t run_number, const CollectiveRun::Ready& follows) {
  const CollectiveRun& run = *runs_[static_cast<size_t>(run_number)];
  for (const CollectiveRun::Ready::Start& s : follows.starts) {
    const Cell& cell = run.cell(s.step, s.slot);
    const int32_t rank = s.rank;
    LaneRequest& request = new_request();
    request.kind = LaneRequest::Kind::transfer;
    request.ready = run.ready_since(cell, rank);
    request.source = run.device(rank);
    request.work = w;
    request.chunk = cell.chunk;
    request.run = run_number;
    request.step = s.step;
    request.slot = s.slot;
    route(request, request.source, run.device(cell.target), cell.direction);
  }
  for (const CollectiveRun::Ready::Finish& f : follows.finishes) {
    const bool is_there = f.moment.time <= now_ && !serving_;
    if (is_there) finish(w, run.device(f.rank), f.moment);
    if (!is_there) put_by(LaneRequest::Kind::result, w, run.device(f.rank), f.moment);
  }
  auto& it = runs_[static_cast<size_t>(run_number)];
  if (it != nullptr && it->done()) spare_runs_.push_back(std::move(it));
}

void Simulator::transfer(const LaneRequest& request) {
  CollectiveRun& run = *runs_[static_cast<size_t>(request.run)];
  const bool relayed = request.flight >= 0;
  const Cell* const own = relayed ? nullptr : &run.cell(request.step, request.slot);
  const Flight flight = relayed ? flights_[request.flight] : Flight(own->ready, request.source, *own);
  const int32_t at = flight.at;
  const int64_t bytes = run.bytes(request.chunk, flight.count);
  const int32_t link_class = class_of_link(fabric_, request, at);
  const Work& it = plan_.work(request.work);
  const LinkPace* pace = it.pace ? &*it.pace : nullptr;
  if (bytes != message_.bytes || link_class != message_.link_class || pace != message_.pace)
    message_.set(fabric_, bytes, link_class, pace);
  const int32_t target = run.device(flight.target);
  const int32_t event_lane = routes_.lane_of(at, request.lane);
  const EventKey key{it.global_index, at, event_lane, request.step, request.chunk, target};
  const bool untimed = it.untimed || (!plan_.untimed_events.empty() && plan_.takes_no_time(key));
  const MessageSpans& message = untimed ? no_time_ : message_;
  LaneState& lane = lanes_[static_cast<size_t>(request.lane)];
  const Moment start = lane.free.time > flight.head.time ? lane.free : flight.head;
  Moment end = start.after(message.passes);
  // Behind a slower link the end of the message comes later.
  if (relayed && (untimed || fabric_.link_classes() > 1))
    end.no_earlier_than(flights_.tail(request.flight).after(message.head));
  if (recorder_.keeps_events()) end.event = record(request, flight, start, end.time);
  recorder_.count(end, played(at), event_lane, request.work);
  lane.free = end;
  if (fabric_.has_port()) {
    lane.free = start.after(message.held);
    lane.free.event = end.event;
  }
  if (relayed) {
    flights_.remove(request.flight);
    recorder_.totals(played(at)).bytes_relayed += bytes;
  } else {
    loads_.sends(request.work, request.lane, start.time, lane.free.time - start.time);
    bytes_sent_[static_cast<size_t>(request.work)] += bytes;
    recorder_.totals(played(at)).bytes_sent += bytes;
    recorder_.of(played(at)).communicates({start.time, end.time});
    WorkSpan& span = spans_[place(request.work, at)];
    span.sent = std::max(span.sent, end.time);
  }
  if (watch_ != nullptr) watch_->passes(request, at, target, bytes, start, end);
  Moment head = start.after(message.head);
  head.event = end.event;
  if (symmetry_ != nullptr) {
    const int32_t from = symmetry_->between(request.next, at);
    head.event = EventRef::seen_from(head.event, from);
    end.event = head.event;
  }
  if (!relayed && run.starts(request.step, start)) begun_.push_back({request.work, request.run});
  if (request.next == target) return deliver(request, run, flight, start.time, end);
  Flight onward = flight;
  onward.head = head;
  onward.at = request.next;
  pass_on(request, target, onward, end);
}

void MessageSpans::set(const Fabric& fabric, int64_t of_bytes, int32_t of_class, const LinkPace* of_pace) {
  const LinkTime time = fabric.link_time(of_bytes, of_class, of_pace);
  pace = of_pace;
  bytes = of_bytes;
  link_class = of_class;
  passes = Moment::span(time.passes);
  head = Moment::span(time.head);
  held = Moment::span(time.held);
}

int64_t Simulator::record(const LaneRequest& request, const Flight& flight, const Moment& start,
                          Picoseconds end) {
  const CollectiveRun& run = *runs_[static_cast<size_t>(request.run)];
  const Work& it = plan_.work(request.work);
  Event e = event_of(it, EventKind::transfer, flight.at, routes_.lane_of(flight.at, request.lane),
                     {start.time, end});
  e.relayed = request.flight >= 0;
  e.transfer_step = request.step;
  e.peer = run.device(flight.target);
  e.chunk = request.chunk;
  e.chunk_count = flight.count;
  e.bytes = message_.bytes;
  return recorder_.add(
      e, start.event,
      {request.work, request.step, run.slot_of_rank(request.step, request.slot), request.source});
}

// On to the next link, which the head of the message reaches before its end. A full mesh has no further
// links.
void Simulator::pass_on(const LaneRequest& request, int32_t target, const Flight& flight,
                        const Moment& tail) {
  LaneRequest& onward = calendar_.push(flight.head.time);
  onward = request;
  onward.flight = flights_.add(flight, tail);
  route(onward, flight.at, target, flight.direction);
}

void Simulator::deliver(const LaneRequest& request, CollectiveRun& run, const Flight& flight,
                        Picoseconds start, const Moment& end) {
  recorder_.totals(played(request.next)).bytes_received += run.bytes(request.chunk, flight.count);
  recorder_.of(played(request.next)).communicates({start, end.time});
  // What comes before its operand begins a device's part.
  WorkSpan& span = spans_[place(request.work, request.next)];
  span.start = std::min(span.start, start);
  if (request.step + 1 == plan_.work(request.work).steps()) return arrive(request, flight.target, end);
  run.arrives_at(request.step, request.slot, end);
  LaneRequest& arrival = calendar_.push(end.time);
  arrival = request;
  arrival.kind = LaneRequest::Kind::arrival;
}

void Simulator::arrive(const LaneRequest& request, int32_t target, const Moment& arrival) {
  CollectiveRun& run = *runs_[static_cast<size_t>(request.run)];
  take(request.work, request.run, run.arrive(request.step, request.slot, target, arrival));
}

}  // namespace shardscope::inline scheduler
