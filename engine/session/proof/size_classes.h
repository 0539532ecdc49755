// SPDX-License-Identifier: Apache-2.0
// Which sizes of a module's arrays belong together, so that they can be made smaller together.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope {

// A size that is `factor` times the product of others: merged dimensions, parts laid side by side.
struct SizeProduct {
  size_t whole = 0;
  int64_t factor = 1;
  std::vector<size_t> parts;
};
// Two sizes that stay as far apart as they are: all but the last element, a little padding.
struct SizeDistance {
  size_t a = 0, b = 0;
};
// A window, a slice, a number of largest elements: no larger than what it is of.
struct SizeLimit {
  size_t small = 0, large = 0;
};

// The sizes of all dimensions of all arrays, and of what they are made of, in classes of equal ones.
class SizeClasses {
 public:
  // By the operations' factors (Shardy's rules); of what has none the sizes stay. `module`: as
  // prepare_for_spmd makes it.
  explicit SizeClasses(const Program& module);

  // The class of a dimension; leaves in pre-order.
  size_t of(size_t computation, size_t instruction, size_t leaf, size_t dim) const;
  size_t count() const { return sizes_.size(); }
  int64_t size(size_t of_class) const { return sizes_[of_class]; }
  bool is_fixed(size_t of_class) const { return fixed_[find(of_class)]; }
  // By class.
  const std::vector<SizeProduct>& products() const { return products_; }
  const std::vector<SizeDistance>& distances() const { return distances_; }
  const std::vector<SizeLimit>& limits() const { return limits_; }
  size_t find(size_t size) const;

 private:
  friend class SizeCollector;
  size_t add(int64_t size);
  void unite(size_t a, size_t b);
  void fix(size_t a) { fixed_[find(a)] = true; }

  std::vector<std::vector<std::vector<size_t>>> first_;  // by computation, instruction and leaf
  std::vector<int64_t> sizes_;
  std::vector<bool> fixed_;
  mutable std::vector<size_t> parent_;
  std::vector<SizeProduct> products_;
  std::vector<SizeDistance> distances_;
  std::vector<SizeLimit> limits_;
};

}  // namespace shardscope
