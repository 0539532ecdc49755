// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/simulator.h"

#include <algorithm>
#include <utility>

namespace shardscope {

namespace {

constexpr size_t kAhead = 4;  // lanes from one look ahead to the next

// Equally old requests of several sources, or by the chunks of one: which is first differs round the ring.
// What one rank has for others is numbered by their distance; the chunks of a stream come before those of the
// next one on every rank. Where all ranks are played, they stand in the same order among all that they stand
// for.
bool chooses_by_device(const LaneRequest& a, const LaneRequest& b, const WorkPlan& plan,
                       const Symmetry& symmetry) {
  if (a.ready != b.ready) return false;
  const auto all_played = [&](int32_t work) {
    return plan.work(work).kind != WorkKind::collective || symmetry.ranks_of(work) == Symmetry::Ranks::each;
  };
  if (all_played(a.work) && all_played(b.work)) return false;
  if (a.flight >= 0 || b.flight >= 0) return true;
  if (a.work != b.work || a.step != b.step || a.chunk == b.chunk) return false;
  const CollectiveSchedule& schedule = *plan.work(a.work).schedule;
  if (schedule.stream_of(a.chunk) != schedule.stream_of(b.chunk)) return false;
  return schedule.kind() != CollectiveKind::all_to_all || schedule.home(a.chunk) != schedule.home(b.chunk);
}

// Where products and copies are shown, whether they wait for it or not.
int32_t lane_of(const Work& it, const Fabric& fabric) {
  return it.kind == WorkKind::copy ? fabric.copy_lane() : 0;
}

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
      bursts_(*this, watch == nullptr && overlap && !recorder.keeps_events() && fabric.has_port() &&
                         fabric.link_classes() == 1 && !fabric.has_overrides()) {
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
  bool has_calls = false;
  for (int32_t w = 0; w < static_cast<int32_t>(plan.count()); ++w) {
    first_run_.push_back(runs);
    const Work& work = plan.work(w);
    if (work.groups != nullptr) runs += static_cast<int32_t>(work.groups->members.size());
    has_calls = has_calls || work.call != nullptr;
  }
  runs_.resize(static_cast<size_t>(runs));
  if (has_calls) joined_.resize(static_cast<size_t>(runs));
  if (watch == nullptr) return;
  watch_ = watch;
  watch->done.resize(places);
  watch->told.resize(places);
  const PlayStart& start = watch->from;
  for (size_t l = 0; l < start.lanes.size(); ++l) lanes_[l].free = start.lanes[l];
  for (size_t p = 0; p < start.ready.size(); ++p) {
    if (start.told[p] < 0) continue;
    ready_[p] = start.ready[p];
    ready_by_[p] = 0;
    ++waiting_[p];
    LaneRequest& request = calendar_.push(start.told[p]);
    request.kind = LaneRequest::Kind::begin;
    request.work = static_cast<int32_t>(p / static_cast<size_t>(devices_));
    request.source = static_cast<int32_t>(p % static_cast<size_t>(devices_));
  }
}

Result<void> Simulator::run(std::stop_token stop, const std::function<void(double)>& progress) {
  for (int32_t w = 0; w < static_cast<int32_t>(plan_.count()); ++w) {
    if (plan_.waits_for[static_cast<size_t>(w)] > 0) continue;
    for (int32_t p = 0; p < devices_; ++p) {
      const int32_t d = symmetry_ == nullptr ? p : symmetry_->played()[static_cast<size_t>(p)];
      if (watch_ == nullptr || !watch_->waits_outside(place(w, d))) ready(w, d, Moment());
    }
  }
  const double places = static_cast<double>(std::max<size_t>(spans_.size(), 1));
  constexpr int64_t kEventsPerReport = 1 << 18;
  int64_t next_report = kEventsPerReport;
  while (!calendar_.empty()) {
    if (stop.stop_requested()) return cancelled();
    if (chose_by_device_) return {};
    now_ = calendar_.pop(batch_);
    if (watch_ != nullptr) watch_->reaches(now_);
    if (now_ > plan_.give_up_after || loads_.is_late()) return too_big("takes longer than the limit");
    if (locksteps_.play_batch()) continue;
    // All that is asked for at one time is there before a lane chooses.
    for (size_t i = 0; i < batch_.size(); ++i) {
      const auto lane = [&](size_t looks) -> const LaneState* {
        const size_t k = i + looks * kAhead;
        return k < batch_.size() ? &lanes_[static_cast<size_t>(batch_[k].lane)] : nullptr;
      };
      if (const LaneState* far = lane(3); far != nullptr) __builtin_prefetch(far);
      if (const LaneState* near = lane(2); near != nullptr && near->has_waiting) near->waiting.fetch();
      ask(static_cast<int32_t>(i));
    }
    for (size_t i = 0; i < touched_.size(); ++i) {
      fetch_ahead(i);
      serve(touched_[i]);
    }
    touched_.clear();
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
  return {};
}

CollectiveRun& Simulator::run_of(int32_t w, int32_t group, int32_t rank) {
  auto& run = runs_[static_cast<size_t>(first_run_[static_cast<size_t>(w)]) + static_cast<size_t>(group)];
  if (run == nullptr) {
    const CollectiveGroups& groups = *plan_.work(w).groups;
    RunMembers of{&groups.members[static_cast<size_t>(group)], !overlap_ || plan_.work(w).alone, -1,
                  &plan_.work(w).rank_axes};
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
    run->begin(*plan_.work(w).schedule, of, plan_.work(w).bytes);
  }
  return *run;
}

// Everything that `work` waits for on `device` is there. Of a chain of works that take no time each is done
// by the first one's, however long it is.
void Simulator::ready(int32_t w, int32_t device, const Moment& moment) {
  const Work& it = plan_.work(w);
  if (it.kind != WorkKind::collective) {
    const bool takes_time = cost_of(it, device, plan_, fabric_).total() > 0;
    LaneRequest& request = takes_time ? calendar_.push(moment.time) : at_once_.emplace_back();
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
  const int32_t group = it.groups->group_of[static_cast<size_t>(device)];
  if (group < 0) return finish(w, device, moment);
  if (it.call != nullptr) return join_call(w, device, moment);
  const int32_t run = first_run_[static_cast<size_t>(w)] + group;
  const int32_t rank = it.groups->rank_of[static_cast<size_t>(device)];
  if (bursts_.plays(w)) return bursts_.operand_ready(w, run, rank, moment.after(it.cost));
  bursts_.begins(w, device);
  if (watch_ != nullptr) watch_->becomes_ready = place(w, device);
  take(w, run, run_of(w, group, rank).operand_ready(rank, moment.after(it.cost)));
  if (watch_ != nullptr) watch_->becomes_ready = SIZE_MAX;
  free_when_done(w, run);
}

void Simulator::finish(int32_t w, int32_t device, const Moment& moment) {
  spans_[place(w, device)].end = moment.time;
  if (watch_ != nullptr) watch_->done[place(w, device)] = moment;
  if (watch_ != nullptr) watch_->told[place(w, device)] = watch_->tells(now_);
  ++finished_;
  const auto works = static_cast<int32_t>(plan_.count());
  std::vector<int32_t> reached;  // joins
  const auto tell = [&](int32_t of, const Moment& latest, int32_t whose) {
    const int32_t last = plan_.first_reader[static_cast<size_t>(of) + 1];
    for (int32_t i = plan_.first_reader[static_cast<size_t>(of)]; i < last; ++i) {
      const int32_t reader = plan_.readers[static_cast<size_t>(i)];
      const size_t at = place(reader, device);
      const bool first = ready_by_[at] < 0;
      if (first ||
          (latest.ties_with(ready_[at]) ? whose < ready_by_[at] : latest.counts_before(ready_[at]))) {
        ready_[at] = latest;
        ready_by_[at] = whose;
      }
      if (--waiting_[at] > 0) continue;
      if (reader < works) {
        ready(reader, device, ready_[at]);
      } else {
        reached.push_back(reader);
      }
    }
  };
  tell(w, moment, w);
  // A join passes on the latest that it waited for, and whose that is.
  while (!reached.empty()) {
    const int32_t join = reached.back();
    reached.pop_back();
    const size_t at = place(join, device);
    tell(join, ready_[at], ready_by_[at]);
  }
}

void Simulator::ask(int32_t number) {
  const LaneRequest& request = batch_[static_cast<size_t>(number)];
  if (request.kind == LaneRequest::Kind::begin) {
    const size_t at = place(request.work, request.source);
    if (--waiting_[at] == 0) ready(request.work, request.source, ready_[at]);
    return;
  }
  if (watch_ != nullptr) watch_->asked(request, now_);
  LaneState& lane = lanes_[static_cast<size_t>(request.lane)];
  if (!lane.touched) touched_.push_back(request.lane);
  lane.touched = true;
  if (request.kind == LaneRequest::Kind::wake) {
    lane.wakes = false;
  } else if (lane.only < 0 && !lane.has_waiting) {
    lane.only = number;
  } else {
    if (lane.only >= 0) lane.wait_for(batch_[static_cast<size_t>(lane.only)], store_);
    lane.only = -1;
    lane.wait_for(request, store_);
  }
}

// What lanes behind the `at`-th to serve will read: a contended exchange has more on its way than caches
// hold.
void Simulator::fetch_ahead(size_t at) const {
  const auto lane = [&](size_t looks) -> const LaneState* {
    const size_t i = at + looks * kAhead;
    return i < touched_.size() ? &lanes_[static_cast<size_t>(touched_[i])] : nullptr;
  };
  if (const LaneState* far = lane(4); far != nullptr) __builtin_prefetch(far);
  if (const LaneState* it = lane(3); it != nullptr && it->has_waiting) it->waiting.fetch();
  if (const LaneState* it = lane(2); it != nullptr && it->has_waiting) it->waiting.fetch_first();
  const LaneState* next = lane(1);
  if (next == nullptr || next->free.time > now_ || (next->only < 0 && !next->has_waiting)) return;
  // In this function itself: compilers leave out calls that do no more than this.
  const LaneRequest* request = next->only >= 0 ? &batch_[static_cast<size_t>(next->only)] : nullptr;
  LaneRequest front;
  if (request == nullptr) {
    front = next->waiting.front(touched_[at + kAhead]);
    request = &front;
  }
  if (request->flight >= 0) {
    __builtin_prefetch(&flights_[request->flight]);
  } else if (request->kind == LaneRequest::Kind::transfer) {
    __builtin_prefetch(&runs_[static_cast<size_t>(request->run)]->cell(request->step, request->slot));
  }
}

void Simulator::serve(int32_t number) {
  LaneState* lane = &lanes_[static_cast<size_t>(number)];
  lane->touched = false;
  if (lane->only >= 0) {
    const LaneRequest& request = batch_[static_cast<size_t>(lane->only)];
    lane->only = -1;
    if (lane->free.time <= now_) return play(request);
    lane->wait_for(request, store_);
  }
  while (lane->has_waiting) {
    if (lane->free.time > now_) {
      if (lane->wakes) return;
      lane->wakes = true;
      LaneRequest& wake = calendar_.push(lane->free.time);
      wake.kind = LaneRequest::Kind::wake;
      wake.lane = number;
      return;
    }
    const LaneRequest request = lane->pop(number);
    if (symmetry_ != nullptr && lane->has_waiting &&
        chooses_by_device(request, lane->waiting.front(number), plan_, *symmetry_)) {
      chose_by_device_ = true;
    }
    play(request);
    lane = &lanes_[static_cast<size_t>(number)];  // a new link of a full mesh may have moved them
  }
}

void Simulator::play(const LaneRequest& request) {
  if (watch_ != nullptr)
    watch_->served_by(request, now_, lanes_[static_cast<size_t>(request.lane)].free.time);
  if (request.kind == LaneRequest::Kind::compute) {
    compute(request);
  } else if (request.kind == LaneRequest::Kind::burst) {
    bursts_.play(request);
  } else {
    transfer(request);
  }
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
    Event e;
    e.start = start.time;
    e.end = end.time;
    e.device = request.source;
    e.lane = static_cast<int16_t>(lane_of(it, fabric_));
    e.kind = copies ? EventKind::copy : EventKind::compute;
    e.instruction = it.global_index;
    e.step = it.step;
    e.bytes = it.bytes;
    e.flops = it.flops;
    end.event = recorder_.add(e, start.event, {});
  }
  recorder_.count(end, played(request.source), lane_of(it, fabric_), request.work);
  if (lane != nullptr) loads_.computes(request.lane, start.time, end.time - start.time);
  if (!copies) recorder_.compute(played(request.source), start.time, end.time);
  if (watch_ != nullptr && !copies)
    watch_->spent(PlayWatch::Note::computes, played(request.source), request, start.time, end.time);
  if (watch_ != nullptr) {
    PlayedEvent event{.start = start, .end = end};
    if (!copies) event.computes = request.source;
    watch_->played(request, event);
  }
  DeviceTotals& totals = recorder_.totals(played(request.source));
  totals.flops += it.flops;
  totals.padded_flops += it.padded_flops;
  if (lane != nullptr) lane->free = end;
  spans_[at].start = start.time;
  finish(request.work, request.source, end);
}

void Simulator::free_when_done(int32_t work, int32_t run) {
  auto& it = runs_[static_cast<size_t>(run)];
  if (it == nullptr || !it->done()) return;
  bursts_.ends(work, run);
  spare_runs_.push_back(std::move(it));
}

}  // namespace shardscope
