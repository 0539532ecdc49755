// SPDX-License-Identifier: Apache-2.0
#include "engine/strategies/like_steps.h"

#include <utility>

namespace shardscope::inline strategy {

LikeSteps::LikeSteps(SpmdBuilder& b, int64_t count, int64_t first, Alike alike)
    : b_(b), count_(count), first_(first), alike_(std::move(alike)) {}

bool LikeSteps::has_loops() const {
  for (int64_t s = first_; b_.ok() && s < count_; s += alike_(s))
    if (b_.keeps_loop(alike_(s))) return true;
  return false;
}

void LikeSteps::each(std::vector<Value>& values, const Write& write) const {
  const auto one = [&](int64_t s) { write(static_cast<int>(s), 0, values); };
  if (b_.is_sketch()) return b_.rounds(0, count_, one);
  for (int64_t s = 0; b_.ok() && s < count_;) {
    const int64_t like = alike_(s);
    const bool loops = s >= first_ && b_.keeps_loop(like);
    if (loops) {
      values = b_.repeat(like, std::move(values), [&](Index round, std::vector<Value> of) {
        write(static_cast<int>(s), round, of);
        return of;
      });
    } else {
      one(s);
    }
    s += loops ? like : 1;
  }
}

Pieces::Pieces(SpmdBuilder& b, const LikeSteps& steps, size_t dim, int64_t whole)
    : b_(b),
      dim_(dim),
      count_(static_cast<size_t>(steps.count())),
      whole_(whole),
      in_one_(steps.has_loops()) {}

void Pieces::add(Value piece, Index start, Value& all) {
  if (!in_one_ || !b_.ok()) return pieces_.push_back(piece);
  if (!started_) {
    std::vector<int64_t> dims = piece.shape().dims;
    dims[dim_] = whole_;
    all = b_.zeros(std::move(dims), piece.shape().type);
  }
  started_ = true;
  all = b_.dynamic_update_slice(all, piece, dim_, start);
}

// Of steps in short (SpmdBuilder::rounds) the last but one stands for those that are not there.
Value Pieces::all(Value all) const {
  if (in_one_ || !b_.ok()) return all;
  std::vector<Value> pieces = pieces_;
  if (pieces.size() < count_)
    pieces.insert(pieces.end() - 1, count_ - pieces.size(), pieces[pieces.size() - 2]);
  return b_.concatenate(pieces, dim_);
}

}  // namespace shardscope::inline strategy
