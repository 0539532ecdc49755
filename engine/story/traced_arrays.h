// SPDX-License-Identifier: Apache-2.0
// The global arrays that a program reads and makes, as the tracer finds them: equal operations on equal
// arrays make one array, whichever devices and instructions carry them out.
#pragma once

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/program/ir/opcode.h"
#include "engine/story/contraction_sets.h"

namespace shardscope::inline story {

struct TracedArray {
  std::string name;              // of the instruction that made it first; of an input its symbol
  std::vector<int64_t> dims;     // global
  int64_t terms = 0;             // of the contraction or reduction that makes it; 0: it is no sum
  Opcode reducer = Opcode::add;  // what a sum is made with
  int32_t device = -1;           // the only one that knows it, -1: all
};

enum class DimUse : int8_t { unset = -1, free, contracted, batch };

// What a product sums over: the use of each global dimension of both arrays, and in which order the
// contracted ones of each are flattened.
struct Contraction {
  int first = 0, second = 0;  // arrays, first <= second
  std::vector<DimUse> first_use, second_use;
  std::vector<int> first_order, second_order;
  int product = 0;  // the array that it makes
};

class TracedArrays {
 public:
  const TracedArray& at(int array) const { return arrays_[static_cast<size_t>(array)]; }
  int count() const { return static_cast<int>(arrays_.size()); }
  int add(TracedArray array);
  // The array that `key` was first made with.
  int find_or_add(const std::string& key, const TracedArray& array);
  const std::vector<Contraction>& contractions() const { return contractions_; }
  // Makes its product, an array of that name.
  const Contraction& add_contraction(Contraction contraction, const std::string& name);
  // Of a sum: whether `set` has all its terms. True of what is no sum.
  bool complete(const ShardPiece& piece, const ContractionSets& sets) const {
    if (piece.kind != ShardPiece::Kind::part) return true;
    return piece.k_set < 0 || sets.size(piece.k_set) == at(piece.array).terms;
  }

 private:
  std::vector<TracedArray> arrays_;
  std::map<std::string, int> by_key_;
  std::vector<Contraction> contractions_;
};

// How much work following may still take. What is asked for after the end is not done, and whoever asked
// gives up its result; the tracer then says why.
class TraceBudget {
 public:
  explicit TraceBudget(std::stop_token stop = {}) : stop_(std::move(stop)) {}
  // Takes `work`, the pieces that a loop looks at; false: stop.
  bool take(int64_t work = 1) {
    left_ -= work;
    return left_ >= 0 && !stop_.stop_requested();
  }
  bool stopped() const { return stop_.stop_requested(); }
  bool spent() const { return left_ < 0; }

 private:
  static constexpr int64_t kMostWork = 400'000'000;
  std::stop_token stop_;
  int64_t left_ = kMostWork;
};

// What the rules of arithmetic read and write.
struct TracedSums {
  TracedArrays& arrays;
  ContractionSets& sets;
  TraceBudget& budget;
};

// The rank's stride in the flattened dimensions `order` of an array, by global dimension; 0: not in it.
std::vector<int64_t> flat_strides(const TracedArray& array, const std::vector<int>& order);

}  // namespace shardscope::inline story
