// SPDX-License-Identifier: Apache-2.0
#include "engine/session/proof/size_classes.h"

namespace shardscope::inline session {

size_t SizeClasses::find(size_t a) const {
  while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
  return a;
}

size_t SizeClasses::add(int64_t size) {
  sizes_.push_back(size);
  fixed_.push_back(false);
  parent_.push_back(parent_.size());
  return parent_.size() - 1;
}

void SizeClasses::unite(size_t a, size_t b) {
  a = find(a);
  b = find(b);
  if (a == b) return;
  if (sizes_[a] != sizes_[b]) {
    fixed_[a] = fixed_[b] = true;
    return;
  }
  parent_[b] = a;
  fixed_[a] = fixed_[a] || fixed_[b];
}

void SizeClasses::scale(size_t a, size_t b) {
  const int64_t n = sizes_[a], m = sizes_[b];
  if (n == m) return unite(a, b);
  if (n < m) return scale(b, a);
  if (m > 0 && n % m == 0) return products_.push_back({a, n / m, {b}});
  fix(a);
  fix(b);
}

void SizeClasses::compose(SizeProduct product) {
  int64_t made = product.factor;
  for (const size_t part : product.parts) made *= sizes_[part];
  if (made == sizes_[product.whole]) return products_.push_back(std::move(product));
  fix(product.whole);
  for (const size_t part : product.parts) fix(part);
}

bool SizeClasses::share_unit(const std::vector<size_t>& sizes, int64_t unit) {
  constexpr int64_t kLeastUnit = 4;
  if (unit < kLeastUnit) return false;
  const size_t one = add(unit);
  for (const size_t size : sizes) products_.push_back({size, sizes_[size] / unit, {one}});
  return true;
}

void SizeClasses::keep_within(size_t small, size_t large) {
  if (sizes_[small] == sizes_[large]) return unite(small, large);
  if (sizes_[small] > 1) return limits_.push_back({small, large});
  fix(small);
}

void SizeClasses::settle() {
  for (SizeProduct& p : products_) {
    p.whole = find(p.whole);
    for (size_t& part : p.parts) part = find(part);
  }
  for (SizeDistance& d : distances_) d = {find(d.a), find(d.b)};
  for (SizeLimit& l : limits_) l = {find(l.small), find(l.large)};
}

}  // namespace shardscope::inline session
