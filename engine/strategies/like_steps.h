// SPDX-License-Identifier: Apache-2.0
// Steps of a strategy that are alike but for where in their arrays they work: written one after the other, or
// many of them as one loop.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/program/build/builder.h"

namespace shardscope::inline strategy {

// Goes through steps, of which those of a stretch are alike. Stretches of as many as the builder keeps in
// loops are one; a sketch shows a few steps, and no stretches.
class LikeSteps {
 public:
  // How many steps from one on are like it, itself with them.
  using Alike = std::function<int64_t(int64_t step)>;
  // `first`: from which on steps wait for steps before them alone; those before it are written out.
  LikeSteps(SpmdBuilder& b, int64_t count, int64_t first, Alike alike);
  int64_t count() const { return count_; }
  bool has_loops() const;
  // Writes a step, of a loop its first in round `round`, from what the steps before left in `values`: as many
  // for all of a loop.
  using Write = std::function<void(int step, Index round, std::vector<Value>& values)>;
  void each(std::vector<Value>& values, const Write& write) const;

 private:
  SpmdBuilder& b_;
  int64_t count_, first_;
  Alike alike_;
};

// Pieces of an array along one dimension, one a step. From a loop they come in one array.
class Pieces {
 public:
  // `whole`: the extent of all of them.
  Pieces(SpmdBuilder& b, const LikeSteps& steps, size_t dim, int64_t whole);
  // `all` is a value that steps hand on, nothing at first.
  void add(Value piece, Index start, Value& all);
  Value all(Value all) const;

 private:
  SpmdBuilder& b_;
  size_t dim_, count_;
  int64_t whole_;
  bool in_one_, started_ = false;
  std::vector<Value> pieces_;
};

}  // namespace shardscope::inline strategy
