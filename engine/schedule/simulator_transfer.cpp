// SPDX-License-Identifier: Apache-2.0
// The messages of collectives: what asks for a link, what happens on it, what follows.
#include <algorithm>
#include <utility>

#include "engine/schedule/simulator.h"

namespace shardscope {

void Simulator::route(Request& request, int32_t at, int32_t target, int direction) {
  const Route route = routes_.find(at, target, direction);
  if (lanes_.size() < static_cast<size_t>(routes_.lane_count())) {
    lanes_.resize(static_cast<size_t>(routes_.lane_count()));
  }
  request.lane = route.lane;
  request.next = route.next;
}

void Simulator::take(int32_t w, int32_t run_number, const CollectiveRun::Ready& follows) {
  const CollectiveRun& run = *runs_[static_cast<size_t>(run_number)];
  Request request;
  request.kind = Request::Kind::transfer;
  request.work = w;
  request.run = run_number;
  for (const CollectiveRun::Ready::Start& s : follows.starts) {
    const Cell& cell = run.cell(s.step, s.slot);
    const int32_t rank = s.slot / 2;
    request.ready = run.ready_since(cell, rank);
    request.source = run.device(rank);
    request.chunk = cell.chunk;
    request.step = s.step;
    request.slot = s.slot;
    route(request, request.source, run.device(cell.target), cell.direction);
    calendar_.push(cell.ready.time, request);
  }
  for (const CollectiveRun::Ready::Finish& f : follows.finishes) finish(w, run.device(f.rank), f.moment);
}

void Simulator::transfer(const Request& request) {
  CollectiveRun& run = *runs_[static_cast<size_t>(request.run)];
  const bool relayed = request.flight >= 0;
  if (!relayed) take(request.work, request.run, run.start(request.step));
  const Cell& cell = run.cell(request.step, request.slot);
  const int64_t bytes = run.bytes(cell.chunk, cell.count);
  if (bytes != cost_bytes_) {
    cost_bytes_ = bytes;
    link_cost_ = fabric_.link_cost(bytes);
  }
  Moment start = relayed ? flights_[static_cast<size_t>(request.flight)] : cell.ready;
  if (relayed) spare_flights_.push_back(request.flight);
  LaneState& lane = lanes_[static_cast<size_t>(request.lane)];
  start.no_earlier_than(lane.free);
  Moment end = start.after(link_cost_);
  note_transfer(request, run, cell, start, end);
  lane.free = end;
  if (fabric_.has_port()) {
    lane.free = start.after({0, 0, 0, link_cost_.bandwidth, 0});
    lane.free.event = end.event;
  }
  const int32_t target = run.device(cell.target);
  if (request.next == target) return deliver(request, run, cell, start.time, end);
  Moment head = start.after({0, 0, link_cost_.latency, 0, 0});
  head.event = end.event;
  pass_on(request, target, cell, head);
}

void Simulator::note_transfer(const Request& request, const CollectiveRun& run, const Cell& cell,
                              const Moment& start, Moment& end) {
  const bool relayed = request.flight >= 0;
  // A way through a full mesh has no further links, so the lane of a relayed message says whose it is.
  const int32_t device = relayed ? request.lane / fabric_.lane_count() : request.source;
  if (recorder_.keeps_events()) {
    const Work& it = work(request.work);
    Event e;
    e.start = start.time;
    e.end = end.time;
    e.device = device;
    e.lane = static_cast<int16_t>(fabric_.has_pair_links() ? 1 : request.lane % fabric_.lane_count());
    e.kind = EventKind::transfer;
    e.relayed = relayed;
    e.instruction = it.global_index;
    e.step = it.step;
    e.transfer_step = request.step;
    e.peer = run.device(cell.target);
    e.chunk = cell.chunk;
    e.chunk_count = cell.count;
    e.cause = start.event;
    e.bytes = cost_bytes_;
    end.event = recorder_.add(e);
  }
  recorder_.count(end);
  if (relayed) {
    recorder_.totals(device).bytes_relayed += cost_bytes_;
    return;
  }
  recorder_.totals(device).bytes_sent += cost_bytes_;
  bytes_sent_[static_cast<size_t>(request.work)] += cost_bytes_;
  recorder_.communicates(device, start.time, end.time, now_);
}

void Simulator::pass_on(Request request, int32_t target, const Cell& cell, const Moment& head) {
  if (spare_flights_.empty()) {
    spare_flights_.push_back(static_cast<int32_t>(flights_.size()));
    flights_.emplace_back();
  }
  request.flight = spare_flights_.back();
  spare_flights_.pop_back();
  flights_[static_cast<size_t>(request.flight)] = head;
  route(request, request.next, target, cell.direction);
  calendar_.push(head.time, request);
}

void Simulator::deliver(const Request& request, CollectiveRun& run, const Cell& cell, Picoseconds start,
                        const Moment& end) {
  recorder_.totals(request.next).bytes_received += cost_bytes_;
  recorder_.communicates(request.next, start, end.time, now_);
  if (!run.has_operand(cell.target)) {
    Span& span = spans_[place(request.work, request.next)];
    span.start = std::min(span.start, start);
  }
  take(request.work, request.run, run.arrive(request.step, request.slot, end));
  free_when_done(request.run);
}

}  // namespace shardscope
