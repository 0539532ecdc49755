// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/collective_run.h"

#include <algorithm>
#include <utility>

namespace shardscope {

namespace {

bool share_a_chunk(const Cell& a, const Transfer& b, int32_t chunks) {
  const int32_t ahead = b.chunk >= a.chunk ? b.chunk - a.chunk : b.chunk - a.chunk + chunks;
  return ahead < a.count || (ahead == 0 ? 0 : chunks - ahead) < b.count;
}

}  // namespace

CollectiveRun::CollectiveRun(std::shared_ptr<const CollectiveSchedule> schedule,
                             const std::vector<int32_t>& devices, bool permutes, bool in_order,
                             int64_t whole_bytes)
    : schedule_(std::move(schedule)),
      devices_(devices),
      permutes_(permutes),
      in_order_(in_order),
      whole_bytes_(whole_bytes),
      steps_(schedule_->steps()),
      ranks_(static_cast<size_t>(schedule_->ranks())) {
  if (whole_bytes_ % schedule_->chunks() == 0) unit_bytes_ = whole_bytes_ / schedule_->chunks();
}

// Where a chunk begins: the whole is cut into one shard per rank, each shard into its parts, as equal as
// bytes are.
int64_t CollectiveRun::offset(int64_t chunk) const {
  const int64_t ranks = schedule_->ranks();
  const int64_t parts = schedule_->chunks() / ranks;
  const auto cut = [](int64_t bytes, int64_t pieces, int64_t i) {
    return i * (bytes / pieces) + std::min(i, bytes % pieces);
  };
  const int64_t shard = chunk / parts;
  const int64_t begin = cut(whole_bytes_, ranks, shard);
  if (shard == ranks) return begin;
  return begin + cut(cut(whole_bytes_, ranks, shard + 1) - begin, parts, chunk % parts);
}

int64_t CollectiveRun::uneven_bytes(int32_t chunk, int32_t count) const {
  const int32_t chunks = schedule_->chunks();
  if (chunk + count <= chunks) return offset(chunk + count) - offset(chunk);
  return whole_bytes_ - offset(chunk) + offset(chunk + count - chunks);
}

void CollectiveRun::expand() {
  const int32_t step = made_++;
  if (blocks_.empty()) first_step_ = step;
  if (spare_.empty()) {
    blocks_.emplace_back().cells.resize(2 * ranks_.size());
  } else {
    // Its cells are overwritten where there are transfers; elsewhere none waits for anything.
    blocks_.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }
  Step& now = blocks_.back();
  Step* before = blocks_.size() > 1 ? &blocks_[blocks_.size() - 2] : nullptr;
  now.arrivals.assign(2 * ranks_.size(), -1);
  transfers_.clear();
  schedule_->append_step(step, transfers_);
  now.open = static_cast<int32_t>(transfers_.size());
  int32_t slot = -1;
  for (const Transfer& t : transfers_) {
    slot = std::max(slot + 1, 2 * t.source);  // transfers come by source
    CHECK(slot / 2 == t.source, "a rank sends more than two messages in a step", t.source, step);
    add_transfer(t, slot, now, before);
  }
  if (made_ == steps_) {
    for (int32_t r = 0; r < schedule_->ranks(); ++r) check_finished(r);
  }
}

void CollectiveRun::add_transfer(const Transfer& t, int32_t slot, Step& now, Step* before) {
  Cell& cell = now.cells[static_cast<size_t>(slot)];
  cell = Cell();
  cell.target = t.target;
  cell.chunk = t.chunk;
  cell.count = t.count;
  cell.direction = t.direction;
  cell.adds = t.adds;
  const size_t came = 2 * static_cast<size_t>(t.source);
  bool own = true;
  for (size_t k = came; before != nullptr && k < came + 2 && before->arrivals[k] >= 0; ++k) {
    Cell& bringer = before->cells[static_cast<size_t>(before->arrivals[k])];
    if (!share_a_chunk(bringer, t, schedule_->chunks())) continue;
    bringer.next |= static_cast<uint8_t>(1 << (slot % 2));
    ++cell.pending;
    own = bringer.adds;
  }
  size_t arrival = 2 * static_cast<size_t>(t.target);
  if (now.arrivals[arrival] >= 0) ++arrival;
  CHECK(now.arrivals[arrival] < 0, "more than two messages come to a rank in a step", t.target, t.step);
  now.arrivals[arrival] = slot;
  Rank& source = ranks_[static_cast<size_t>(t.source)];
  Rank& target = ranks_[static_cast<size_t>(t.target)];
  ++target.open;
  target.receives = true;
  if (in_order_) ++source.open;
  if (own || in_order_) {
    if (source.has_operand) {
      cell.ready.no_earlier_than(source.operand);
    } else {
      cell.waits_for_operand = true;
      ++cell.pending;
    }
  }
  if (cell.pending == 0) ready_.starts.push_back({t.step, slot});
}

const CollectiveRun::Ready& CollectiveRun::operand_ready(int32_t rank, const Moment& moment) {
  ready_.clear();
  Rank& r = ranks_[static_cast<size_t>(rank)];
  r.operand = moment;
  r.has_operand = true;
  ++operands_;
  if (made_ == 0 && steps_ > 0) {
    expand();
  } else {
    for (size_t b = 0; b < blocks_.size(); ++b) {
      for (int32_t slot = 2 * rank; slot < 2 * rank + 2; ++slot) {
        Cell& cell = blocks_[b].cells[static_cast<size_t>(slot)];
        if (!cell.waits_for_operand) continue;
        cell.waits_for_operand = false;
        release(cell, first_step_ + static_cast<int32_t>(b), slot, moment);
      }
    }
  }
  if (made_ == steps_) check_finished(rank);
  return ready_;
}

const CollectiveRun::Ready& CollectiveRun::arrive(int32_t step, int32_t slot, const Moment& arrival) {
  ready_.clear();
  Step& now = block(step);
  const Cell& cell = now.cells[static_cast<size_t>(slot)];
  for (int32_t k = 0; k < 2; ++k) {
    if ((cell.next >> k & 1) == 0) continue;
    const int32_t next = 2 * cell.target + k;
    release(block(step + 1).cells[static_cast<size_t>(next)], step + 1, next, arrival);
  }
  Rank& target = ranks_[static_cast<size_t>(cell.target)];
  target.latest.no_earlier_than(arrival);
  --target.open;
  if (in_order_) {
    Rank& source = ranks_[static_cast<size_t>(slot / 2)];
    source.latest.no_earlier_than(arrival);
    --source.open;
    if (made_ == steps_) check_finished(slot / 2);
  }
  if (made_ == steps_) check_finished(cell.target);
  if (--now.open == 0) retire();
  return ready_;
}

void CollectiveRun::retire() {
  while (!blocks_.empty() && blocks_.front().open == 0 && (blocks_.size() > 1 || made_ == steps_)) {
    spare_.push_back(std::move(blocks_.front()));
    blocks_.erase(blocks_.begin());
    ++first_step_;
  }
}

void CollectiveRun::check_finished(int32_t rank) {
  Rank& r = ranks_[static_cast<size_t>(rank)];
  if (r.finished || r.open > 0) return;
  // What a permute brings needs nothing of the receiver's own; all other results hold some of it.
  const bool needs_own = in_order_ || !permutes_ || !r.receives;
  if (needs_own && !r.has_operand) return;
  if (needs_own) r.latest.no_earlier_than(r.operand);
  r.finished = true;
  ++finished_;
  ready_.finishes.push_back({rank, r.latest});
}

}  // namespace shardscope
