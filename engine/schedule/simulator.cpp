// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/simulator.h"

#include <algorithm>
#include <utility>

namespace shardscope {

namespace {

bool behind(const Request& a, const Request& b) {
  return b.before(a);
}  // the first is on top of the heap

}  // namespace

Simulator::Simulator(const WorkPlan& plan, const Fabric& fabric, bool overlap, Recorder& recorder)
    : plan_(plan),
      fabric_(fabric),
      overlap_(overlap),
      recorder_(recorder),
      lanes_(static_cast<size_t>(fabric.devices()) * static_cast<size_t>(fabric.lane_count())) {
  const size_t places = plan.works.size() * static_cast<size_t>(fabric.devices());
  ready_.resize(places);
  spans_.resize(places);
  bytes_sent_.resize(plan.works.size());
  waiting_.reserve(places);
  int32_t runs = 0;
  for (size_t w = 0; w < plan.works.size(); ++w) {
    waiting_.insert(waiting_.end(), static_cast<size_t>(fabric.devices()), plan.waits_for[w]);
    first_run_.push_back(runs);
    if (plan.works[w].groups != nullptr) runs += static_cast<int32_t>(plan.works[w].groups->members.size());
  }
  runs_.resize(static_cast<size_t>(runs));
}

Result<void> Simulator::run(std::stop_token stop, const std::function<void(double)>& progress) {
  for (int32_t w = 0; w < static_cast<int32_t>(plan_.works.size()); ++w) {
    if (plan_.waits_for[static_cast<size_t>(w)] > 0) continue;
    for (int32_t d = 0; d < fabric_.devices(); ++d) ready(w, d, Moment());
  }
  const double places = static_cast<double>(std::max<size_t>(spans_.size(), 1));
  constexpr int64_t kEventsPerReport = 1 << 18;
  int64_t next_report = kEventsPerReport;
  std::vector<Request> batch;
  while (!calendar_.empty()) {
    if (stop.stop_requested()) return cancelled();
    now_ = calendar_.pop(batch);
    // All that is asked for at one time is there before a lane chooses.
    for (const Request& request : batch) ask(request);
    for (size_t i = 0; i < touched_.size(); ++i) serve(touched_[i]);
    touched_.clear();
    if (progress && recorder_.event_count() >= next_report) {
      next_report = recorder_.event_count() + kEventsPerReport;
      progress(static_cast<double>(finished_) / places);
    }
  }
  // Every send waits for something that comes: collectives in the same order everywhere cannot lock up.
  CHECK(finished_ == static_cast<int64_t>(spans_.size()), "work that never became ready", finished_,
        spans_.size());
  return {};
}

CollectiveRun& Simulator::run_of(int32_t w, int32_t group) {
  auto& run = runs_[static_cast<size_t>(first_run_[static_cast<size_t>(w)] + group)];
  if (run == nullptr) {
    run = std::make_unique<CollectiveRun>(work(w).schedule, work(w).permutes, !overlap_, work(w).bytes);
  }
  return *run;
}

// Everything that `work` waits for on `device` is there.
void Simulator::ready(int32_t w, int32_t device, const Moment& moment) {
  const Work& it = work(w);
  if (it.kind != WorkKind::collective) {
    Request request;
    request.ready = moment.time;
    request.source = device;
    request.work = w;
    request.lane = compute_lane(device, it.kind == WorkKind::copy);
    return calendar_.push(moment.time, request);
  }
  Span& span = spans_[place(w, device)];
  span.start = std::min(span.start, moment.time);
  const int32_t group = it.groups->group_of[static_cast<size_t>(device)];
  if (group < 0) return finish(w, device, moment);
  CollectiveRun::Ready follows = borrow();
  run_of(w, group).operand_ready(it.groups->rank_of[static_cast<size_t>(device)], moment.after(it.cost),
                                 follows);
  take(w, first_run_[static_cast<size_t>(w)] + group, std::move(follows));
  free_when_done(first_run_[static_cast<size_t>(w)] + group);
}

void Simulator::finish(int32_t w, int32_t device, const Moment& moment) {
  spans_[place(w, device)].end = moment.time;
  ++finished_;
  const int32_t last = plan_.first_reader[static_cast<size_t>(w) + 1];
  for (int32_t i = plan_.first_reader[static_cast<size_t>(w)]; i < last; ++i) {
    const int32_t reader = plan_.readers[static_cast<size_t>(i)];
    const size_t at = place(reader, device);
    ready_[at].no_earlier_than(moment);
    if (--waiting_[at] == 0) ready(reader, device, ready_[at]);
  }
}

void Simulator::ask(const Request& request) {
  LaneState& lane = lanes_[static_cast<size_t>(request.lane)];
  if (request.kind == Request::Kind::wake) {
    lane.wakes = false;
  } else {
    lane.waiting.push_back(request);
    if (lane.waiting.size() > 1) std::push_heap(lane.waiting.begin(), lane.waiting.end(), behind);
  }
  if (!lane.touched) touched_.push_back(request.lane);
  lane.touched = true;
}

void Simulator::serve(int32_t number) {
  lanes_[static_cast<size_t>(number)].touched = false;
  while (true) {
    LaneState& lane = lanes_[static_cast<size_t>(number)];
    if (lane.waiting.empty()) return;
    if (lane.free.time > now_) {
      if (lane.wakes) return;
      lane.wakes = true;
      Request wake;
      wake.kind = Request::Kind::wake;
      wake.lane = number;
      return calendar_.push(lane.free.time, wake);
    }
    if (lane.waiting.size() > 1) std::pop_heap(lane.waiting.begin(), lane.waiting.end(), behind);
    const Request request = lane.waiting.back();
    lane.waiting.pop_back();
    if (request.kind == Request::Kind::compute) {
      compute(request);
    } else {
      transfer(request);
    }
  }
}

void Simulator::compute(const Request& request) {
  const Work& it = work(request.work);
  const bool copies = it.kind == WorkKind::copy;
  const size_t at = place(request.work, request.source);
  LaneState& lane = lanes_[static_cast<size_t>(request.lane)];
  Moment start = ready_[at];
  start.no_earlier_than(lane.free);
  Moment end = start.after(it.cost);
  if (recorder_.keeps_events()) {
    Event e;
    e.start = start.time;
    e.end = end.time;
    e.device = request.source;
    e.lane = static_cast<int16_t>(copies ? fabric_.copy_lane() : 0);
    e.kind = copies ? EventKind::copy : EventKind::compute;
    e.instruction = it.global_index;
    e.step = it.step;
    e.cause = start.event;
    e.bytes = it.bytes;
    e.flops = it.flops;
    end.event = recorder_.add(e);
  }
  recorder_.count(end);
  if (!copies) recorder_.compute(request.source, start.time, end.time, now_);
  DeviceTotals& totals = recorder_.totals(request.source);
  totals.flops += it.flops;
  totals.padded_flops += it.padded_flops;
  lane.free = end;
  spans_[at].start = start.time;
  finish(request.work, request.source, end);
}

const std::vector<int32_t>& Simulator::members(const Request& request) const {
  const int32_t group = request.run - first_run_[static_cast<size_t>(request.work)];
  return work(request.work).groups->members[static_cast<size_t>(group)];
}

// Whose lane the request asks for. A way through a full mesh has no further links.
int32_t Simulator::device_of(const Request& request) const {
  return fabric_.has_pair_links() ? request.source : request.lane / fabric_.lane_count();
}

void Simulator::route(Request& request, int32_t at, int32_t target, int direction) {
  const Hop hop = fabric_.next_hop(at, target, direction);
  request.next = hop.next;
  request.lane = hop.device * fabric_.lane_count() + hop.lane;
  if (!fabric_.has_pair_links()) return;
  const uint64_t pair = static_cast<uint64_t>(hop.device) << 32 | static_cast<uint32_t>(hop.next);
  const auto [it, is_new] = pairs_.try_emplace(pair, static_cast<int32_t>(lanes_.size()));
  if (is_new) lanes_.emplace_back();
  request.lane = it->second;
}

void Simulator::transfer(const Request& request) {
  CollectiveRun& run = *runs_[static_cast<size_t>(request.run)];
  const bool relayed = request.flight >= 0;
  if (!relayed) {
    CollectiveRun::Ready follows = borrow();
    run.start(request.step, request.slot, follows);
    take(request.work, request.run, std::move(follows));
  }
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
  note_transfer(request, cell, start, end);
  lane.free = end;
  if (fabric_.has_port()) {
    lane.free = start.after({0, 0, 0, link_cost_.bandwidth, 0});
    lane.free.event = end.event;
  }
  if (request.next == members(request)[static_cast<size_t>(cell.target)]) {
    deliver(request, cell, start.time, end);
  } else {
    Moment head = start.after({0, 0, link_cost_.latency, 0, 0});
    head.event = end.event;
    pass_on(request, cell, head);
  }
}

void Simulator::note_transfer(const Request& request, const Cell& cell, const Moment& start, Moment& end) {
  const bool relayed = request.flight >= 0;
  const int32_t device = device_of(request);
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
    e.peer = members(request)[static_cast<size_t>(cell.target)];
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

void Simulator::pass_on(Request request, const Cell& cell, const Moment& head) {
  if (spare_flights_.empty()) {
    spare_flights_.push_back(static_cast<int32_t>(flights_.size()));
    flights_.emplace_back();
  }
  request.flight = spare_flights_.back();
  spare_flights_.pop_back();
  flights_[static_cast<size_t>(request.flight)] = head;
  route(request, request.next, members(request)[static_cast<size_t>(cell.target)], cell.direction);
  calendar_.push(head.time, request);
}

void Simulator::deliver(const Request& request, const Cell& cell, Picoseconds start, const Moment& end) {
  CollectiveRun& run = *runs_[static_cast<size_t>(request.run)];
  recorder_.totals(request.next).bytes_received += cost_bytes_;
  recorder_.communicates(request.next, start, end.time, now_);
  if (!run.has_operand(cell.target)) {
    Span& span = spans_[place(request.work, request.next)];
    span.start = std::min(span.start, start);
  }
  CollectiveRun::Ready follows = borrow();
  run.arrive(request.step, request.slot, end, follows);
  take(request.work, request.run, std::move(follows));
  free_when_done(request.run);
}

// Ready lists nest (a result may make a next collective ready), hence a stack of spare ones.
CollectiveRun::Ready Simulator::borrow() {
  if (spare_ready_.empty()) return {};
  CollectiveRun::Ready ready = std::move(spare_ready_.back());
  spare_ready_.pop_back();
  return ready;
}

void Simulator::take(int32_t w, int32_t run_number, CollectiveRun::Ready follows) {
  const CollectiveRun& run = *runs_[static_cast<size_t>(run_number)];
  const std::vector<int32_t>& devices =
      work(w).groups->members[static_cast<size_t>(run_number - first_run_[static_cast<size_t>(w)])];
  for (const CollectiveRun::Ready::Start& s : follows.starts) {
    const Cell& cell = run.cell(s.step, s.slot);
    Request request;
    request.kind = Request::Kind::transfer;
    request.ready = run.ready_since(cell, s.slot / 2);
    request.source = devices[static_cast<size_t>(s.slot / 2)];
    request.work = w;
    request.chunk = s.chunk;
    request.run = run_number;
    request.step = s.step;
    request.slot = s.slot;
    route(request, request.source, devices[static_cast<size_t>(cell.target)], cell.direction);
    calendar_.push(s.time, request);
  }
  for (const CollectiveRun::Ready::Finish& f : follows.finishes) {
    finish(w, devices[static_cast<size_t>(f.rank)], f.moment);
  }
  follows.starts.clear();
  follows.finishes.clear();
  spare_ready_.push_back(std::move(follows));
}

void Simulator::free_when_done(int32_t run) {
  auto& it = runs_[static_cast<size_t>(run)];
  if (it != nullptr && it->done()) it.reset();
}

}  // namespace shardscope
