// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "engine/schedule/events/to_index.h"
#include "engine/schedule/simulator.h"

namespace shardscope {

namespace {

bool is_exchange(const Work& work) {
  if (work.schedule->steps() != 1 || work.alone) return false;
  const CollectiveKind kind = work.schedule->kind();
  return kind != CollectiveKind::permute && kind != CollectiveKind::broadcast;
}

// As a port takes them: by chunk. Schedules begin with that of the next rank, or any.
void put_in_order(std::vector<Transfer>& sends) {
  std::rotate(sends.begin(), std::ranges::min_element(sends, {}, &Transfer::chunk), sends.end());
  if (!std::ranges::is_sorted(sends, {}, &Transfer::chunk))
    std::ranges::stable_sort(sends, {}, &Transfer::chunk);
}

}  // namespace

Bursts::Bursts(Simulator& of, bool allowed) : of_(of) {
  if (!allowed || !may_be_played()) return;
  plays_.resize(of_.plan_.count());
  bool any = false;
  for (size_t w = 0; w < plays_.size(); ++w) {
    const Work& work = of_.plan_.work(static_cast<int32_t>(w));
    plays_[w] = work.kind == WorkKind::collective && is_exchange(work) &&
                (of_.symmetry_ == nullptr ||
                 of_.symmetry_->ranks_of(static_cast<int32_t>(w)) == Symmetry::Ranks::each);
    any = any || plays_[w];
    if (plays_[w] && !come_.contains(work.schedule.get())) read(*work.schedule);
  }
  if (!any) plays_.clear();
  under_way_.assign(to_index(of_.devices_), 0);
}

// Whether no device has at once what it is sent.
bool Bursts::may_be_played() const {
  if (!of_.plan_.untimed_events.empty()) return false;
  for (size_t w = 0; w < of_.plan_.count(); ++w) {
    const Work& work = of_.plan_.work(static_cast<int32_t>(w));
    if (work.kind != WorkKind::collective) continue;
    const LinkPace* pace = work.pace ? &*work.pace : nullptr;
    if (work.call != nullptr || work.untimed || of_.fabric_.link_time(0, 0, pace).passes.total() <= 0)
      return false;
  }
  return true;
}

void Bursts::read(const CollectiveSchedule& schedule) {
  std::vector<int32_t>& come = come_[&schedule];
  come.assign(to_index(schedule.ranks()), 0);
  std::vector<Transfer> sent;
  for (int32_t rank = 0; rank < schedule.ranks(); ++rank) {
    sent.clear();
    schedule.append_from(0, rank, sent);
    for (const Transfer& t : sent) ++come[to_index(t.target)];
  }
}

Bursts::Exchange& Bursts::exchange(int32_t w, int32_t run) {
  exchanges_.resize(of_.runs_.size());
  std::unique_ptr<Exchange>& it = exchanges_[to_index(run)];
  if (it != nullptr) return *it;
  if (spare_.empty()) {
    it = std::make_unique<Exchange>();
  } else {
    it = std::move(spare_.back());
    spare_.pop_back();
  }
  const Work& work = of_.plan_.work(w);
  const CollectiveSchedule& schedule = *work.schedule;
  const std::vector<int32_t>& come = come_.at(&schedule);
  it->bytes = ChunkBytes(work.bytes, schedule.chunks(), schedule.ranks());
  it->unfinished = schedule.ranks();
  it->ranks.resize(come.size());
  for (size_t r = 0; r < come.size(); ++r) {
    Rank& rank = it->ranks[r];
    rank.ready = rank.latest = Moment();
    rank.open = come[r];
    rank.has_operand = false;
    rank.next = 0;
    rank.sends.clear();
  }
  return *it;
}

void Bursts::operand_ready(int32_t w, int32_t run, int32_t number, const Moment& operand) {
  const Work& work = of_.plan_.work(w);
  const std::vector<int32_t>& members = work.groups->members[to_index(run - of_.first_run_[to_index(w)])];
  const int32_t device = members[to_index(number)];
  Exchange& it = exchange(w, run);
  Rank& rank = it.ranks[to_index(number)];
  rank.has_operand = true;
  rank.operand = operand;
  rank.ready.no_earlier_than(operand);
  work.schedule->append_from(0, number, rank.sends);
  if (!rank.sends.empty()) {
    put_in_order(rank.sends);
    const Transfer& first = rank.sends.front();
    LaneRequest& request = of_.new_request();
    request.kind = LaneRequest::Kind::burst;
    request.ready = operand.time;
    request.source = device;
    request.work = w;
    request.chunk = first.chunk;
    request.run = run;
    of_.route(request, device, members[to_index(first.target)], first.direction);
  }
  finish_if_over(w, run, number);
}

// When all has come to a rank that will; what follows may be another exchange.
void Bursts::finish_if_over(int32_t w, int32_t run, int32_t number) {
  std::unique_ptr<Exchange>& it = exchanges_[to_index(run)];
  Rank& rank = it->ranks[to_index(number)];
  if (rank.open > 0 || !rank.has_operand) return;
  rank.latest.no_earlier_than(rank.operand);
  const std::vector<int32_t>& members =
      of_.plan_.work(w).groups->members[to_index(run - of_.first_run_[to_index(w)])];
  const int32_t device = members[to_index(number)];
  const Moment latest = rank.latest;
  if (--it->unfinished == 0) spare_.push_back(std::move(it));
  if (of_.serving_ || latest.time > of_.now_) return of_.put_by(LaneRequest::Kind::result, w, device, latest);
  of_.finish(w, device, latest);  // it has waited for its operand
}

void Bursts::play(const LaneRequest& request) {
  Exchange& it = *exchanges_[to_index(request.run)];
  Rank& rank = it.ranks[to_index(of_.plan_.work(request.work).groups->rank_of[to_index(request.source)])];
  // What else is ready since the same time has asked by then.
  const bool alone = of_.now_ > request.ready && under_way_[to_index(of_.played(request.source))] == 0;
  send(request, it, rank, alone ? rank.sends.size() : rank.next + 1);
  if (rank.next < rank.sends.size()) wait_again(request, rank);
}

// Up to the `end`-th message of the rank. As Simulator::transfer and deliver.
void Bursts::send(const LaneRequest& request, Exchange& it, Rank& rank, size_t end) {
  const Work& work = of_.plan_.work(request.work);
  const std::vector<int32_t>& members =
      work.groups->members[to_index(work.groups->group_of[to_index(request.source)])];
  const LinkPace* pace = work.pace ? &*work.pace : nullptr;
  const int32_t event_lane = of_.routes_.lane_of(request.source, request.lane);
  Simulator::LaneState& lane = of_.lanes_[to_index(request.lane)];
  MessageSpans& message = of_.message_;
  EventRecorder& recorder = of_.recorder_;
  WorkSpan& own = of_.spans_[of_.place(request.work, request.source)];
  int64_t all = 0;
  if (end > rank.next + 1) recorder.sent_together(static_cast<int64_t>(end - rank.next));
  for (; rank.next < end; ++rank.next) {
    const Transfer& t = rank.sends[rank.next];
    const int64_t bytes = it.bytes.of(t.chunk, t.count);
    if (bytes != message.bytes || message.link_class != 0 || pace != message.pace)
      message.set(of_.fabric_, bytes, 0, pace);
    const Moment start = lane.free.time > rank.ready.time ? lane.free : rank.ready;
    const Moment passed = start.after(message.passes);
    lane.free = start.after(message.held);
    of_.loads_.sends(request.work, request.lane, start.time, lane.free.time - start.time);
    recorder.count(passed, of_.played(request.source), event_lane, request.work);
    recorder.communicates(of_.played(request.source), start.time, passed.time);
    own.sent = std::max(own.sent, passed.time);
    all += bytes;
    const int32_t device = members[to_index(t.target)];
    recorder.totals(of_.played(device)).bytes_received += bytes;
    recorder.communicates(of_.played(device), start.time, passed.time);
    WorkSpan& its = of_.spans_[of_.place(request.work, device)];
    its.start = std::min(its.start, start.time);
    Rank& target = it.ranks[to_index(t.target)];
    target.latest.no_earlier_than(passed);
    --target.open;
    finish_if_over(request.work, request.run, t.target);
  }
  of_.bytes_sent_[to_index(request.work)] += all;
  recorder.totals(of_.played(request.source)).bytes_sent += all;
}

void Bursts::wait_again(LaneRequest request, const Rank& rank) {
  request.chunk = rank.sends[rank.next].chunk;
  Simulator::LaneState& lane = of_.lanes_[to_index(request.lane)];
  lane.wait_for(request, of_.store_);
  if (std::exchange(lane.wakes, true)) return;
  LaneRequest& wake = of_.calendar_.push(lane.free.time);
  wake.kind = LaneRequest::Kind::wake;
  wake.lane = request.lane;
}

void Bursts::begins(int32_t work, int32_t device) {
  if (!plays_.empty() && of_.plan_.work(work).steps() > 1) ++under_way_[to_index(of_.played(device))];
}

void Bursts::ends(int32_t w, int32_t run) {
  if (plays_.empty()) return;
  const Work& work = of_.plan_.work(w);
  if (work.steps() <= 1) return;
  for (const int32_t device : work.groups->members[to_index(run - of_.first_run_[to_index(w)])])
    if (of_.symmetry_ == nullptr || of_.symmetry_->turn_of(device) == 0)
      --under_way_[to_index(of_.played(device))];
}

}  // namespace shardscope
