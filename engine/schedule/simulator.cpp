// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/simulator.h"

#include <algorithm>
#include <utility>

namespace shardscope {

Simulator::Simulator(const WorkPlan& plan, const Fabric& fabric, bool overlap, Recorder& recorder)
    : plan_(plan),
      fabric_(fabric),
      overlap_(overlap),
      recorder_(recorder),
      calendar_(fabric.devices()),
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
    for (const Request& request : batch) {
      if (request.run < 0) {
        compute(request);
      } else if (request.step < 0) {
        go_on(request.slot);
      } else {
        transfer(request);
      }
    }
    if (progress && recorder_.event_count() >= next_report) {
      next_report = recorder_.event_count() + kEventsPerReport;
      progress(static_cast<double>(finished_) / places);
    }
  }
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
  if (it.kind != WorkKind::collective) return calendar_.push(moment.time, {device, w, 0, -1, 0, 0});
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

void Simulator::compute(const Request& request) {
  const Work& it = work(request.work);
  const bool copies = it.kind == WorkKind::copy;
  const size_t at = place(request.work, request.source);
  Moment& free = lane({request.source, copies ? fabric_.copy_lane() : 0, request.source});
  Moment start = ready_[at];
  start.no_earlier_than(free);
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
  free = end;
  spans_[at].start = start.time;
  finish(request.work, request.source, end);
}

Moment& Simulator::lane(const Hop& hop) {
  if (fabric_.all_pairs() && !fabric_.has_port() && hop.next != hop.device) {
    return pairs_[static_cast<uint64_t>(hop.device) << 32 | static_cast<uint32_t>(hop.next)];
  }
  return lanes_[static_cast<size_t>(hop.device) * static_cast<size_t>(fabric_.lane_count()) +
                static_cast<size_t>(hop.lane)];
}

void Simulator::transfer(const Request& request) {
  CollectiveRun& run = *runs_[static_cast<size_t>(request.run)];
  CollectiveRun::Ready follows = borrow();
  const Cell& cell = run.start(request.step, request.slot, follows);
  take(request.work, request.run, std::move(follows));
  cross(request, cell, request.source, cell.ready, false);
}

void Simulator::go_on(int32_t number) {
  const Flight flight = flights_[static_cast<size_t>(number)];
  spare_flights_.push_back(number);
  const CollectiveRun& run = *runs_[static_cast<size_t>(flight.request.run)];
  cross(flight.request, run.cell(flight.request.step, flight.request.slot), flight.at, flight.ready, true);
}

// Takes the link from `at` towards the target, then the next one or the arrival.
void Simulator::cross(const Request& request, const Cell& cell, int32_t at, const Moment& ready,
                      bool relayed) {
  const Work& it = work(request.work);
  CollectiveRun& run = *runs_[static_cast<size_t>(request.run)];
  const int32_t group = request.run - first_run_[static_cast<size_t>(request.work)];
  const std::vector<int32_t>& members = it.groups->members[static_cast<size_t>(group)];
  const int32_t target = members[static_cast<size_t>(cell.target)];
  const int64_t bytes = run.bytes(cell.chunk, cell.count);
  const Hop hop = fabric_.next_hop(at, target, cell.direction);
  if (bytes != cost_bytes_) {
    cost_bytes_ = bytes;
    link_cost_ = fabric_.link_cost(bytes);
  }
  const Cost cost = link_cost_;
  Moment& free = lane(hop);
  Moment start = ready;
  start.no_earlier_than(free);
  Moment end = start.after(cost);
  if (recorder_.keeps_events()) {
    Event e;
    e.start = start.time;
    e.end = end.time;
    e.device = hop.device;
    e.lane = static_cast<int16_t>(hop.lane);
    e.kind = EventKind::transfer;
    e.relayed = relayed;
    e.instruction = it.global_index;
    e.step = it.step;
    e.transfer_step = request.step;
    e.peer = target;
    e.chunk = cell.chunk;
    e.chunk_count = cell.count;
    e.cause = start.event;
    e.bytes = bytes;
    end.event = recorder_.add(e);
  }
  recorder_.count(end);
  free = end;
  if (fabric_.has_port()) {
    Cost held = cost;
    held.latency = 0;
    free = start.after(held);
    free.event = end.event;
  }
  if (relayed) {
    recorder_.totals(hop.device).bytes_relayed += bytes;
  } else {
    recorder_.totals(hop.device).bytes_sent += bytes;
    bytes_sent_[static_cast<size_t>(request.work)] += bytes;
    recorder_.communicates(hop.device, start.time, end.time, now_);
  }
  if (hop.next != target) {
    Cost head;
    head.latency = cost.latency;
    Moment next = start.after(head);
    next.event = end.event;
    if (spare_flights_.empty()) {
      spare_flights_.push_back(static_cast<int32_t>(flights_.size()));
      flights_.emplace_back();
    }
    const int32_t number = spare_flights_.back();
    spare_flights_.pop_back();
    flights_[static_cast<size_t>(number)] = {request, hop.next, next};
    calendar_.push(next.time, {request.source, request.work, request.chunk, request.run, -1, number});
    return;
  }
  recorder_.totals(target).bytes_received += bytes;
  recorder_.communicates(target, start.time, end.time, now_);
  if (!run.has_operand(cell.target)) {
    Span& span = spans_[place(request.work, target)];
    span.start = std::min(span.start, start.time);
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
  const Work& it = work(w);
  const std::vector<int32_t>& members =
      it.groups->members[static_cast<size_t>(run_number - first_run_[static_cast<size_t>(w)])];
  for (const CollectiveRun::Ready::Start& s : follows.starts) {
    calendar_.push(s.time,
                   {members[static_cast<size_t>(s.slot / 2)], w, s.chunk, run_number, s.step, s.slot});
  }
  for (const CollectiveRun::Ready::Finish& f : follows.finishes) {
    finish(w, members[static_cast<size_t>(f.rank)], f.moment);
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
