// SPDX-License-Identifier: Apache-2.0
// Which sizes belong together, so that they can be made smaller together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace shardscope::inline session {

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

// Sizes in classes of equal ones, and how classes depend on each other. A size is named by its number.
class SizeClasses {
 public:
  size_t add(int64_t size);
  // They stay equal; sizes that differ stay as they are.
  void unite(size_t a, size_t b);
  void fix(size_t a) { fixed_[find(a)] = true; }
  // One is a multiple of the other, and stays it.
  void scale(size_t a, size_t b);
  void compose(SizeProduct product);
  // All are multiples of one size that shrinks; false: `unit` is too small for that to be worth it.
  bool share_unit(const std::vector<size_t>& sizes, int64_t unit);
  void keep_distance(size_t a, size_t b) { distances_.push_back({a, b}); }
  void keep_within(size_t small, size_t large);
  // All products, distances and limits by representatives, once nothing is added any more.
  void settle();

  size_t count() const { return sizes_.size(); }
  int64_t size(size_t a) const { return sizes_[a]; }
  bool is_fixed(size_t a) const { return fixed_[find(a)]; }
  size_t find(size_t a) const;  // the representative of its class
  const std::vector<SizeProduct>& products() const { return products_; }
  const std::vector<SizeDistance>& distances() const { return distances_; }
  const std::vector<SizeLimit>& limits() const { return limits_; }

 private:
  std::vector<int64_t> sizes_;
  std::vector<bool> fixed_;
  mutable std::vector<size_t> parent_;
  std::vector<SizeProduct> products_;
  std::vector<SizeDistance> distances_;
  std::vector<SizeLimit> limits_;
};

}  // namespace shardscope::inline session
