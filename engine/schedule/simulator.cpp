// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/simulator.h"

#include <algorithm>
#include <utility>

#include "engine/schedule/awaited.h"

namespace shardscope::inline scheduler {

namespace {

// At the normal speed.
Cost cost_of(const Work& it, int32_t device, const WorkPlan& plan, const Fabric& fabric) {
  return plan.takes_no_time({it.global_index, device, lane_of(it, fabric)}) ? Cost() : it.cost;
}

}  // namespace

Simulator::Simulator(const WorkPlan& plan, const Fabric& fabric, bool overlap, EventRecorder& recorder,
                     const Symmetry* symmetry, PlayWatch* watch)
    : plan_(plan),
      fabric_(fabric),
      overlap_(overlap),
      recorder_(recorder),
      symmetry_(symmetry),
      devices_(symmetry == nullptr ? fabric.devices() : static_cast<int32_t>(symmetry->played().size())),
      routes_(fabric, symmetry),
      loads_(plan, fabric, symmetry, routes_),
      lanes_(static_cast<size_t>(routes_.lane_count())),
      flights_(fabric.link_classes() > 1 || !plan.untimed_events.empty() ||
               std::any_of(plan.works.begin(), plan.works.end(), [](const Work& it) { return it.untimed; })),
      locksteps_(*this, symmetry == nullptr && watch == nullptr && fabric.link_classes() == 1 &&
                            plan.untimed_events.empty()),
      calls_(*this) {
  const size_t places = plan.count() * static_cast<size_t>(devices_);
  const size_t nodes = plan.waits_for.size() * static_cast<size_t>(devices_);
  ready_.resize(nodes);
  ready_by_.resize(nodes, -1);
  spans_.resize(places);
  bytes_sent_.resize(plan.count());
  waiting_.reserve(nodes);
  for (const int32_t count : plan.waits_for)
    waiting_.insert(waiting_.end(), static_cast<size_t>(devices_), count);
  int32_t runs = 0;
  for (int32_t w = 0; w < static_cast<int32_t>(plan.count()); ++w) {
    first_run_.push_back(runs);
    const Work& work = plan.work(w);
    if (work.groups != nullptr) runs += static_cast<int32_t>(work.groups->members.size());
  }
  runs_.resize(static_cast<size_t>(runs));
  watch_ = watch;
  if (watch == nullptr) return;
  watch->done.resize(places);
  watch->first_asks.assign(lanes_.size(), PlayWatch::kNever);
  const PlayStart& start = watch->from;
  for (size_t l = 0; l < start.lanes.size(); ++l) lanes_[l].free = start.lanes[l];
  for (size_t p = 0; p < start.ready.size(); ++p) {
    if (!start.waits(p)) continue;
    ready_[p] = start.ready[p];
    ready_by_[p] = 0;
    ++waiting_[p];
    LaneRequest& request = calendar_.push(ready_[p].time);
    request.kind = LaneRequest::Kind::begin;
    request.work = static_cast<int32_t>(p / static_cast<size_t>(devices_));
    request.source = static_cast<int32_t>(p % static_cast<size_t>(devices_));
  }
}

Result<bool> Simulator::run(std::stop_token stop, const std::function<void(double)>& progress) {
  // Works that wait for nothing.
  for (int32_t w = 0; w < static_cast<int32_t>(plan_.count()); ++w) {
    if (plan_.waits_for[static_cast<size_t>(w)] > 0) continue;
    for (int32_t p = 0; p < devices_; ++p) {
      const int32_t d = symmetry_ == nullptr ? p : symmetry_->played()[static_cast<size_t>(p)];
      if (watch_ == nullptr || !watch_->from.waits(place(w, d))) ready(w, d, Moment());
    }
  }
  for (const LaneRequest& request : asks_) calendar_.push(0) = request;
  asks_.clear();
  const double places = static_cast<double>(std::max<size_t>(spans_.size(), 1));
  constexpr int64_t kEventsPerReport = 1 << 18;
  int64_t next_report = kEventsPerReport;
  while (!calendar_.empty()) {
    if (stop.stop_requested()) return cancelled();
    if (chose_by_device_) return false;
    now_ = calendar_.pop(batch_);
    if (now_ > plan_.give_up_after || loads_.is_late()) return too_big("takes longer than the limit");
    if (locksteps_.goes_on()) continue;
    if (std::ranges::all_of(batch_, &LaneRequest::asks)) {
      asks_.swap(batch_);
    } else {
      for (const LaneRequest& event : batch_) happen(event);
    }
    if (!locksteps_.begins()) serve_all();
    asks_.clear();
    if (progress && recorder_.event_count() >= next_report) {
      next_report = recorder_.event_count() + kEventsPerReport;
      progress(static_cast<double>(finished_) / places);
    }
  }
  // Every send waits for something that comes: collectives in the same order everywhere cannot lock up.
  CHECK(finished_ == static_cast<int64_t>(spans_.size()), "work that never became ready", finished_,
        spans_.size());
  if (watch_ != nullptr)
    for (const LaneState& lane : lanes_) watch_->lanes.push_back(lane.free);
  return !chose_by_device_;
}

void Simulator::happen(const LaneRequest& event) {
  const auto at = [&] { return place(event.work, event.source); };
  switch (event.kind) {
    case LaneRequest::Kind::begin:
      if (--waiting_[at()] == 0) ready(event.work, event.source, ready_[at()]);
      return;
    case LaneRequest::Kind::result:
      spare_to_come_.push_back(event.slot);
      return finish(event.work, event.source, Moment(to_come_[static_cast<size_t>(event.slot)]));
    case LaneRequest::Kind::operand:
      spare_to_come_.push_back(event.slot);
      return have_operand(event.work, event.source, Moment(to_come_[static_cast<size_t>(event.slot)]));
    case LaneRequest::Kind::arrival: {
      const Cell& cell = runs_[static_cast<size_t>(event.run)]->cell(event.step, event.slot);
      return arrive(event, cell.target, cell.ready);
    }
    case LaneRequest::Kind::lockstep:
      return locksteps_.end(event.run);
    default:
      asks_.push_back(event);
  }
}

// Everything that `work` waits for on `device` is there. Of a chain of works that take no time each is done
// by the first one's, however long it is.
void Simulator::ready(int32_t w, int32_t device, const Moment& moment) {
  const Work& it = plan_.work(w);
  if (it.kind != WorkKind::collective) {
    const bool takes_time = cost_of(it, device, plan_, fabric_).total() > 0;
    LaneRequest& request = takes_time ? new_request() : at_once_.emplace_back();
    request.ready = moment.time;
    request.source = device;
    request.work = w;
    request.lane = takes_time ? routes_.number(device, lane_of(it, fabric_)) : -1;
    if (takes_time || at_once_.size() > 1) return;
    for (size_t i = 0; i < at_once_.size(); ++i) compute(LaneRequest(at_once_[i]));
    at_once_.clear();
    return;
  }
  if (watch_ != nullptr) watch_->ready(w, device, moment.time);
  WorkSpan& span = spans_[place(w, device)];
  span.start = std::min(span.start, moment.time);
  if (it.groups->group_of[static_cast<size_t>(device)] < 0) return finish(w, device, moment);
  if (it.call != nullptr) return calls_.join(w, device, moment);
  const Moment launched = moment.after(it.cost);
  if (launched.time == now_) return have_operand(w, device, launched);
  put_by(LaneRequest::Kind::operand, w, device, launched);
}

// In the calendar, with a moment of its own.
void Simulator::put_by(LaneRequest::Kind kind, int32_t w, int32_t device, const Moment& moment) {
  if (spare_to_come_.empty()) {
    spare_to_come_.push_back(static_cast<int32_t>(to_come_.size()));
    to_come_.emplace_back();
  }
  LaneRequest& event = calendar_.push(moment.time);
  event.kind = kind;
  event.source = device;
  event.work = w;
  event.slot = spare_to_come_.back();
  spare_to_come_.pop_back();
  to_come_[static_cast<size_t>(event.slot)] = moment;
}

// A collective that has been launched.
void Simulator::have_operand(int32_t w, int32_t device, const Moment& moment) {
  const Work& it = plan_.work(w);
  const int32_t group = it.groups->group_of[static_cast<size_t>(device)];
  const int32_t number = first_run_[static_cast<size_t>(w)] + group;
  const int32_t rank = it.groups->rank_of[static_cast<size_t>(device)];
  auto& run = runs_[static_cast<size_t>(number)];
  if (run == nullptr) {
    RunMembers of{&it.groups->members[static_cast<size_t>(group)], !overlap_ || it.alone, -1, &it.rank_axes};
    const auto [known, is_new] = last_steps_.try_emplace(it.schedule.get());
    if (is_new) known->second = last_steps(*it.schedule, of.in_order);
    of.last_steps = &known->second;
    if (symmetry_ != nullptr && symmetry_->ranks_of(w) == Symmetry::Ranks::one) of.only = rank;
    if (symmetry_ != nullptr && symmetry_->ranks_of(w) == Symmetry::Ranks::where_played) {
      of.played = &symmetry_->played();
      of.places = &symmetry_->places();
    }
    if (spare_runs_.empty()) {
      run = std::make_unique<CollectiveRun>();
    } else {
      run = std::move(spare_runs_.back());
      spare_runs_.pop_back();
    }
    run->begin(*it.schedule, of, it.bytes);
  }
  take(w, number, run->operand_ready(rank, moment));
}

void Simulator::finish(int32_t w, int32_t device, const Moment& moment) {
  spans_[place(w, device)].end = moment.time;
  if (watch_ != nullptr) watch_->done[place(w, device)] = moment;
  ++finished_;
  const auto at = [&](int32_t node) {
    const size_t its = place(node, device);
    return Awaited{waiting_[its], ready_[its], ready_by_[its]};
  };
  tell_readers(plan_, w, moment, reached_, at,
               [&](int32_t reader, const Moment& latest) { ready(reader, device, latest); });
}

// Without a lane: at once.
void Simulator::compute(const LaneRequest& request) {
  const Work& it = plan_.work(request.work);
  const bool copies = it.kind == WorkKind::copy;
  const size_t at = place(request.work, request.source);
  LaneState* const lane = request.lane < 0 ? nullptr : &lanes_[static_cast<size_t>(request.lane)];
  Moment start = ready_[at];
  if (lane != nullptr) start.no_earlier_than(lane->free);
  Moment end =
      start.after(at_speed(cost_of(it, request.source, plan_, fabric_), fabric_.speed(request.source)));
  if (recorder_.keeps_events()) {
    Event e = event_of(it, copies ? EventKind::copy : EventKind::compute, request.source,
                       lane_of(it, fabric_), {start.time, end.time});
    e.flops = it.flops;
    end.event = recorder_.add(e, start.event, {});
  }
  recorder_.count(end, played(request.source), lane_of(it, fabric_), request.work);
  if (lane != nullptr) loads_.computes(request.lane, start.time, end.time - start.time);
  if (!copies) recorder_.of(played(request.source)).computes({start.time, end.time});
  if (watch_ != nullptr)
    watch_->played(request, {.computes = copies ? -1 : request.source, .start = start, .end = end});
  spans_[at].start = start.time;
  if (lane == nullptr) return finish(request.work, request.source, end);
  lane->free = end;
  put_by(LaneRequest::Kind::result, request.work, request.source, end);
}

}  // namespace shardscope::inline scheduler
