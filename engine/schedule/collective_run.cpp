// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/collective_run.h"

#include <bit>
#include <utility>

#include "engine/base/check.h"

namespace shardscope::inline scheduler {

namespace {

constexpr Cell kUnset;

// Whether a transfer waits for its source's own operand (CollectiveSchedule::dependency).
bool needs_own(const CollectiveSchedule& schedule, const Transfer& t, bool comes_before) {
  if (schedule.dependency() == Dependency::previous_step) return !comes_before;
  return schedule.kind() != CollectiveKind::broadcast || t.source == 0;
}

// The rank that stands to `rank` as `rank` stands to `target`, along each axis.
int32_t mirrored(int32_t target, int32_t rank, const std::vector<int32_t>& axes, int32_t ranks) {
  if (axes.empty()) return ((2 * rank - target) % ranks + ranks) % ranks;
  int32_t out = 0;
  int32_t stride = ranks;
  for (const int32_t size : axes) {
    stride /= size;
    const int32_t coordinate = 2 * (rank / stride % size) - target / stride % size;
    out += (coordinate + size) % size * stride;
  }
  return out;
}

}  // namespace

std::vector<int32_t> last_steps(const CollectiveSchedule& schedule, bool in_order) {
  const int32_t last = schedule.steps() - 1;
  if (last <= 0) return {};
  std::vector<Transfer> sent;
  schedule.append_from(last, 0, sent);
  if (schedule.rotation_symmetric() && !sent.empty()) return {};
  std::vector<int32_t> out(static_cast<size_t>(schedule.ranks()), -1);
  int32_t open = schedule.ranks();
  // It sends what it has.
  const bool root_has_all = schedule.kind() == CollectiveKind::broadcast && !in_order;
  if (root_has_all) --open;
  const auto takes_part = [&](int32_t rank, int32_t step) {
    int32_t& its = out[static_cast<size_t>(rank)];
    if (its < 0) --open;
    its = std::max(its, step);
  };
  for (int32_t step = last; step >= 0 && open > 0; --step) {
    sent.clear();
    schedule.append_step(step, sent);
    for (const Transfer& t : sent) {
      takes_part(t.target, step);
      if (in_order) takes_part(t.source, step);
    }
    if (step == last && open == 0 && !root_has_all) return {};
  }
  return out;
}

void CollectiveRun::begin(const CollectiveSchedule& schedule, const RunMembers& group, int64_t whole_bytes) {
  CHECK(blocks_.empty(), "a run begins when the last is done");
  schedule_ = &schedule;
  group_ = group;
  bytes_ = ChunkCut(whole_bytes, schedule.chunks(), schedule.ranks());
  steps_ = schedule.steps();
  made_ = first_step_ = finished_ = operands_ = 0;
  begins_.reset();
  CHECK(group.played == nullptr || steps_ == 1, "ranks stand for others in one step", steps_);
  ranks_.assign(group.count(schedule.ranks()), Rank());
  through_.assign(every_earlier() ? ranks_.size() * static_cast<size_t>(schedule.streams()) : 0, Through());
}

size_t CollectiveRun::stream(size_t place, int32_t chunk) const {
  return place * static_cast<size_t>(schedule_->streams()) + static_cast<size_t>(schedule_->stream_of(chunk));
}

const CollectiveRun::Ready& CollectiveRun::make_next() {
  ready_.clear();
  const Moment begins = *std::exchange(begins_, std::nullopt);
  do {
    make_step(begins);
  } while (blocks_.back().open == 0 && made_ < steps_);  // nothing of an empty step starts the next one
  if (made_ == steps_) retire();
  return ready_;
}

void CollectiveRun::make_step(const Moment& begins) {
  const int32_t step = made_++;
  if (blocks_.empty()) first_step_ = step;
  if (spare_.empty()) {
    blocks_.emplace_back();
  } else {
    blocks_.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }
  Step& now = blocks_.back();
  const Step* before = blocks_.size() > 1 ? &blocks_[blocks_.size() - 2] : nullptr;
  transfers_.clear();
  if (group_.all()) {
    schedule_->append_step(step, transfers_);
  } else {
    for (size_t r = 0; r < ranks_.size(); ++r) schedule_->append_from(step, group_.rank_at(r), transfers_);
  }
  now.open = static_cast<int32_t>(transfers_.size());
  uint32_t widest = 1;
  uint32_t of_one = 0;
  for (size_t i = 0; i < transfers_.size(); ++i) {
    of_one = i > 0 && transfers_[i].source == transfers_[i - 1].source ? of_one + 1 : 1;
    widest = std::max(widest, of_one);
  }
  now.shift = std::bit_width(widest - 1);
  now.cells.resize(ranks_.size() << now.shift);
  now.earlier_arrival.resize(now.cells.size());
  now.last_arrival.assign(ranks_.size(), -1);
  if (every_earlier()) {
    now.open_in.assign(through_.size(), 0);
    now.latest_in.assign(through_.size(), Moment());
  }
  if (group_.only >= 0 && steps_ > 1) find_came_chunks(step, now);
  size_t next = 0;
  for (size_t r = 0; r < ranks_.size(); ++r) {
    int32_t slot = static_cast<int32_t>(r << now.shift);
    for (; next < transfers_.size() && group_.place(transfers_[next].source) == r; ++next) {
      add_transfer(transfers_[next], slot++, now, before, begins);
    }
    if (slot < static_cast<int32_t>((r + 1) << now.shift)) now.cells[static_cast<size_t>(slot)].count = 0;
  }
  CHECK(next == transfers_.size(), "transfers of a step come by source", step);
  if (every_earlier()) {
    for (size_t s = 0; s < through_.size(); ++s) advance(s);
  }
}

void CollectiveRun::find_came_chunks(int32_t step, Step& now) {
  now.came_chunk.resize(transfers_.size());
  std::vector<Transfer> like;
  int32_t of = -1;
  for (size_t k = 0; k < transfers_.size(); ++k) {
    const int32_t source = mirrored(transfers_[k].target, group_.only, *group_.axes, schedule_->ranks());
    if (source != of) {
      like.clear();
      schedule_->append_from(step, source, like);
      of = source;
    }
    CHECK(k < like.size() && like[k].target == group_.only, "a symmetric schedule turns", step, source);
    now.came_chunk[k] = like[k].chunk;
  }
}

void CollectiveRun::add_transfer(const Transfer& t, int32_t slot, Step& now, const Step* before,
                                 const Moment& begins) {
  Cell& cell = now.cells[static_cast<size_t>(slot)];
  cell = kUnset;
  cell.target = t.target;
  cell.chunk = t.chunk;
  cell.count = t.count;
  cell.direction = t.direction;
  cell.adds = t.adds;
  Rank& source = ranks_[group_.place(t.source)];
  Rank& target = ranks_[group_.place(t.target)];
  bool comes_before = false;  // and holds all of what this one sends
  if (every_earlier()) {
    const Through& through = through_[stream(group_.place(t.source), t.chunk)];
    cell.waits_for_earlier = through.steps < t.step;
    if (cell.waits_for_earlier) {
      ++cell.pending;
    } else {
      cell.ready.no_earlier_than(through.latest);
    }
    const int32_t came = group_.only < 0 || steps_ == 1 ? t.chunk : now.came_chunk[static_cast<size_t>(slot)];
    ++now.open_in[stream(group_.place(t.target), came)];
  } else if (before != nullptr) {
    bool added = false;
    for (int32_t a = before->last_arrival[group_.place(t.source)]; a >= 0;
         a = before->earlier_arrival[static_cast<size_t>(a)]) {
      const Cell& bringer = before->cells[static_cast<size_t>(a)];
      const int32_t chunk = group_.only < 0 ? bringer.chunk : before->came_chunk[static_cast<size_t>(a)];
      if (!share_a_chunk(chunk, bringer.count, t.chunk, t.count, schedule_->chunks())) continue;
      ++cell.pending;
      comes_before = true;
      added = added || bringer.adds;
    }
    comes_before = comes_before && !added;
  }
  int32_t& last = now.last_arrival[group_.place(t.target)];
  now.earlier_arrival[static_cast<size_t>(slot)] = last;
  last = slot;
  ++target.open;
  target.receives = true;
  if (group_.in_order) ++source.open;
  if (group_.in_order || needs_own(*schedule_, t, comes_before)) {
    if (source.has_operand) {
      cell.ready.no_earlier_than(source.operand);
    } else {
      cell.waits_for_operand = true;
      ++cell.pending;
    }
  }
  if (cell.pending > 0) return;
  cell.ready.no_earlier_than(begins);
  ready_.starts.push_back({t.step, slot, t.source});
}

const CollectiveRun::Ready& CollectiveRun::operand_ready(int32_t rank, const Moment& moment) {
  ready_.clear();
  Rank& r = ranks_[group_.place(rank)];
  r.operand = moment;
  r.has_operand = true;
  ++operands_;
  const bool is_first = made_ == 0 && steps_ > 0;
  if (is_first) {
    begins_ = moment;
    make_next();
  }
  for (size_t b = 0; b < blocks_.size() && !is_first; ++b) {
    Step& step = blocks_[b];
    for (size_t slot = group_.place(rank) << step.shift; slot < (group_.place(rank) + 1) << step.shift;
         ++slot) {
      Cell& cell = step.cells[slot];
      if (cell.count == 0) break;
      if (!cell.waits_for_operand) continue;
      cell.waits_for_operand = false;
      release(cell, first_step_ + static_cast<int32_t>(b), static_cast<int32_t>(slot), rank, moment);
    }
  }
  check_finished(group_.place(rank));
  return ready_;
}

const CollectiveRun::Ready& CollectiveRun::arrive(int32_t step, int32_t slot, int32_t target,
                                                  const Moment& arrival) {
  ready_.clear();
  Step& now = block(step);
  if (step + 1 < steps_) pass_on(now, now.cells[static_cast<size_t>(slot)], step, slot, arrival);
  Rank& receiver = ranks_[group_.place(target)];
  receiver.latest.no_earlier_than(arrival);
  --receiver.open;
  if (group_.in_order) {
    const size_t from = static_cast<size_t>(slot) >> now.shift;
    ranks_[from].latest.no_earlier_than(arrival);
    --ranks_[from].open;
    check_finished(from);
  }
  check_finished(group_.place(target));
  if (--now.open == 0) retire();
  return ready_;
}

// To what waits for it.
void CollectiveRun::pass_on(const Step& now, const Cell& cell, int32_t step, int32_t slot,
                            const Moment& arrival) {
  const int32_t chunk =
      group_.only < 0 || steps_ == 1 ? cell.chunk : now.came_chunk[static_cast<size_t>(slot)];
  const size_t target = group_.place(cell.target);
  if (every_earlier()) {
    Step& mine = block(step);
    const size_t s = stream(target, chunk);
    mine.latest_in[s].no_earlier_than(arrival);
    if (--mine.open_in[s] == 0) advance(s);
    return;
  }
  Step& after = block(step + 1);
  for (size_t next = target << after.shift; next < (target + 1) << after.shift; ++next) {
    Cell& it = after.cells[next];
    if (it.count == 0) break;
    if (!share_a_chunk(chunk, cell.count, it.chunk, it.count, schedule_->chunks())) continue;
    release(it, step + 1, static_cast<int32_t>(next), group_.rank_at(target), arrival);
  }
}

void CollectiveRun::advance(size_t s) {
  Through& through = through_[s];
  const size_t streams = static_cast<size_t>(schedule_->streams());
  const size_t place = s / streams;
  while (through.steps < made_ && block(through.steps).open_in[s] == 0) {
    through.latest.no_earlier_than(block(through.steps).latest_in[s]);
    ++through.steps;
    if (through.steps == made_) return;
    Step& step = block(through.steps);
    for (size_t slot = place << step.shift; slot < (place + 1) << step.shift; ++slot) {
      Cell& cell = step.cells[slot];
      if (cell.count == 0) break;
      if (!cell.waits_for_earlier || stream(place, cell.chunk) != s) continue;
      cell.waits_for_earlier = false;
      release(cell, through.steps, static_cast<int32_t>(slot), group_.rank_at(place), through.latest);
    }
  }
}

void CollectiveRun::retire() {
  while (!blocks_.empty() && blocks_.front().open == 0 && (blocks_.size() > 1 || made_ == steps_)) {
    spare_.push_back(std::move(blocks_.front()));
    blocks_.erase(blocks_.begin());
    ++first_step_;
  }
}

void CollectiveRun::check_finished(size_t place) {
  Rank& r = ranks_[place];
  const std::vector<int32_t>& last = *group_.last_steps;  // in which it takes part
  const int32_t its = last.empty() ? steps_ - 1 : last[static_cast<size_t>(group_.rank_at(place))];
  if (r.finished || r.open > 0 || made_ <= its) return;
  // What a permute or a broadcast brings needs nothing of the receiver's own; all other results hold some of
  // it.
  const CollectiveKind kind = schedule_->kind();
  const bool brought = (kind == CollectiveKind::permute && r.receives) ||
                       (kind == CollectiveKind::broadcast && group_.rank_at(place) != 0);
  const bool needs_own = group_.in_order || !brought;
  if (needs_own && !r.has_operand) return;
  if (needs_own) r.latest.no_earlier_than(r.operand);
  r.finished = true;
  ++finished_;
  ready_.finishes.push_back({group_.rank_at(place), r.latest});
}

}  // namespace shardscope::inline scheduler
