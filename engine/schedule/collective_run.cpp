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

CollectiveRun::CollectiveRun(std::shared_ptr<const CollectiveSchedule> schedule, bool permutes, bool in_order,
                             int64_t whole_bytes)
    : schedule_(std::move(schedule)),
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

int64_t CollectiveRun::bytes(int32_t chunk, int32_t count) const {
  if (unit_bytes_ >= 0) return unit_bytes_ * count;
  const int32_t chunks = schedule_->chunks();
  if (chunk + count <= chunks) return offset(chunk + count) - offset(chunk);
  return whole_bytes_ - offset(chunk) + offset(chunk + count - chunks);
}

void CollectiveRun::expand(Ready& ready) {
  const int32_t step = made_++;
  if (blocks_.empty()) first_step_ = step;
  if (spare_.empty()) {
    blocks_.emplace_back();
  } else {
    blocks_.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }
  Step& now = blocks_.back();
  Step* before = blocks_.size() > 1 ? &blocks_[blocks_.size() - 2] : nullptr;
  now.cells.assign(2 * ranks_.size(), Cell());
  now.arrivals.assign(2 * ranks_.size(), -1);
  transfers_.clear();
  schedule_->append_step(step, transfers_);
  now.open = static_cast<int32_t>(transfers_.size());
  const int32_t chunks = schedule_->chunks();
  for (const Transfer& t : transfers_) {
    const size_t source = static_cast<size_t>(t.source);
    const size_t target = static_cast<size_t>(t.target);
    size_t slot = 2 * source;
    if (now.cells[slot].count > 0) ++slot;
    CHECK(now.cells[slot].count == 0, "a rank sends more than two messages in a step", t.source, step);
    Cell& cell = now.cells[slot];
    cell.target = t.target;
    cell.chunk = t.chunk;
    cell.count = t.count;
    cell.direction = t.direction;
    cell.adds = t.adds;
    bool own = true;
    if (before != nullptr) {
      for (size_t k = 2 * source; k < 2 * source + 2; ++k) {
        if (before->arrivals[k] < 0) break;
        Cell& bringer = before->cells[static_cast<size_t>(before->arrivals[k])];
        if (!share_a_chunk(bringer, t, chunks)) continue;
        int32_t& link = bringer.next[bringer.next[0] < 0 ? 0 : 1];
        CHECK(link < 0, "what one message brings goes on in more than two", t.source, step);
        link = static_cast<int32_t>(slot);
        ++cell.pending;
        own = bringer.adds;
      }
    }
    size_t arrival = 2 * target;
    if (now.arrivals[arrival] >= 0) ++arrival;
    CHECK(now.arrivals[arrival] < 0, "more than two messages come to a rank in a step", t.target, step);
    now.arrivals[arrival] = static_cast<int32_t>(slot);
    ++ranks_[target].open;
    ranks_[target].receives = true;
    if (in_order_) ++ranks_[source].open;
    if (own || in_order_) {
      if (ranks_[source].has_operand) {
        cell.ready.no_earlier_than(ranks_[source].operand);
      } else {
        cell.waits_for_operand = true;
        ++cell.pending;
      }
    }
    if (cell.pending == 0) {
      ready.starts.push_back({step, static_cast<int32_t>(slot), cell.chunk, cell.ready.time});
    }
  }
  if (made_ == steps_) {
    for (int32_t r = 0; r < schedule_->ranks(); ++r) check_finished(r, ready);
  }
}

void CollectiveRun::release(Cell& cell, int32_t step, int32_t slot, const Moment& moment, Ready& ready) {
  cell.ready.no_earlier_than(moment);
  if (--cell.pending == 0) ready.starts.push_back({step, slot, cell.chunk, cell.ready.time});
}

void CollectiveRun::operand_ready(int32_t rank, const Moment& moment, Ready& ready) {
  Rank& r = ranks_[static_cast<size_t>(rank)];
  r.operand = moment;
  r.has_operand = true;
  ++operands_;
  if (made_ == 0 && steps_ > 0) {
    expand(ready);
  } else {
    for (size_t b = 0; b < blocks_.size(); ++b) {
      for (int32_t slot = 2 * rank; slot < 2 * rank + 2; ++slot) {
        Cell& cell = blocks_[b].cells[static_cast<size_t>(slot)];
        if (!cell.waits_for_operand) continue;
        cell.waits_for_operand = false;
        release(cell, first_step_ + static_cast<int32_t>(b), slot, moment, ready);
      }
    }
  }
  check_finished(rank, ready);
}

const Cell& CollectiveRun::start(int32_t step, int32_t slot, Ready& ready) {
  if (made_ == step + 1 && made_ < steps_) expand(ready);
  return block(step).cells[static_cast<size_t>(slot)];
}

void CollectiveRun::arrive(int32_t step, int32_t slot, const Moment& arrival, Ready& ready) {
  Step& now = block(step);
  const Cell& cell = now.cells[static_cast<size_t>(slot)];
  for (const int32_t next : cell.next) {
    if (next < 0) break;
    release(block(step + 1).cells[static_cast<size_t>(next)], step + 1, next, arrival, ready);
  }
  Rank& target = ranks_[static_cast<size_t>(cell.target)];
  target.latest.no_earlier_than(arrival);
  --target.open;
  if (in_order_) {
    Rank& source = ranks_[static_cast<size_t>(slot / 2)];
    source.latest.no_earlier_than(arrival);
    --source.open;
    check_finished(slot / 2, ready);
  }
  check_finished(cell.target, ready);
  --now.open;
  while (!blocks_.empty() && blocks_.front().open == 0 && (blocks_.size() > 1 || made_ == steps_)) {
    spare_.push_back(std::move(blocks_.front()));
    blocks_.pop_front();
    ++first_step_;
  }
}

void CollectiveRun::check_finished(int32_t rank, Ready& ready) {
  Rank& r = ranks_[static_cast<size_t>(rank)];
  if (r.finished || made_ < steps_ || r.open > 0) return;
  // What a permute brings needs nothing of the receiver's own; all other results hold some of it.
  const bool needs_own = in_order_ || !permutes_ || !r.receives;
  if (needs_own && !r.has_operand) return;
  if (needs_own) r.latest.no_earlier_than(r.operand);
  r.finished = true;
  ++finished_;
  ready.finishes.push_back({rank, r.latest});
}

}  // namespace shardscope
