// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/reshape_factors.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace shardscope::inline partitioner {
namespace {

// One side while it is walked: how much of the array lies before its place, and what its dimension has left.
struct Side {
  const std::vector<int64_t>& dims;
  size_t dim = 0;
  int64_t passed = 1;  // product of its factors so far
  int64_t left = 0;    // of its dimension, 0: it has not begun

  bool ended() const { return dim >= dims.size(); }
  bool at_one() const { return !ended() && left == 0 && dims[dim] == 1; }
  void begin() {
    if (!ended() && left == 0) left = dims[dim];
  }
  int64_t take(int64_t size) {
    const auto of = static_cast<int64_t>(dim);
    passed *= size;
    left /= size;
    if (left == 1) {
      left = 0;
      ++dim;
    }
    return of;
  }
};

// The next factor of the side that is behind: what brings it to where the other is, when that divides what is
// left; else what both can no longer share.
int64_t own_factor(const Side& behind, const Side& ahead) {
  if (ahead.passed % behind.passed == 0 && behind.left % (ahead.passed / behind.passed) == 0)
    return ahead.passed / behind.passed;
  const int64_t shared = std::gcd(behind.left, std::max<int64_t>(ahead.left, 1));
  return behind.left > shared && shared > 0 && behind.left % shared == 0 ? behind.left / shared : behind.left;
}

}  // namespace

std::vector<ReshapeFactor> reshape_factors(const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  const auto elements = [](const std::vector<int64_t>& dims) {
    return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
  };
  if (elements(from) != elements(to) || elements(from) == 0) return {};
  std::vector<ReshapeFactor> out;
  Side a{from}, b{to};
  while (!a.ended() || !b.ended()) {
    if (a.at_one()) {
      out.push_back({static_cast<int64_t>(a.dim++), -1, 1});
      continue;
    }
    if (b.at_one()) {
      out.push_back({-1, static_cast<int64_t>(b.dim++), 1});
      continue;
    }
    a.begin();
    b.begin();
    if (a.passed == b.passed) {
      const int64_t common = std::gcd(a.left, b.left);
      if (common > 1) {
        const int64_t in_a = a.take(common), in_b = b.take(common);
        out.push_back({in_a, in_b, common});
        continue;
      }
      const int64_t size_a = a.left, size_b = b.left;
      out.push_back({a.take(size_a), -1, size_a});
      out.push_back({-1, b.take(size_b), size_b});
    } else if (a.passed < b.passed) {
      const int64_t size = own_factor(a, b);
      out.push_back({a.take(size), -1, size});
    } else {
      const int64_t size = own_factor(b, a);
      out.push_back({-1, b.take(size), size});
    }
  }
  return out;
}

}  // namespace shardscope::inline partitioner
