// SPDX-License-Identifier: Apache-2.0
#include "engine/session/proof/small_sizes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "engine/base/units.h"

namespace shardscope::inline session {
namespace {

constexpr int64_t kKept = 2;  // times the least size: no longer worth shrinking

class SmallSizes {
 public:
  SmallSizes(const SizeClasses& classes, const SizeWishes& wishes)
      : classes_(classes),
        period_(wishes.period),
        least_(wishes.least),
        ordered_(wishes.ordered),
        kept_(classes.count()) {
    for (size_t k = 0; k < classes.count(); ++k) kept_[k] = classes.is_fixed(k);
    for (size_t p = 0; p < classes.products().size(); ++p) made_of_[classes.products()[p].whole].push_back(p);
  }

  std::vector<int64_t> find() {
    // Every round keeps the sizes of what did not fit; in the end those of all do.
    while (!round()) {
    }
    return sizes_;
  }

 private:
  bool is_free(size_t k) const { return classes_.find(k) == k && !kept_[k] && !made_of_.contains(k); }

  // The sizes in their order get small ones in theirs.
  void choose() {
    std::set<int64_t> large;
    int64_t last = 0;
    for (size_t k = 0; k < classes_.count(); ++k) {
      const int64_t n = classes_.size(k);
      if (n <= kKept * least_) last = std::max(last, n);
      if (n > kKept * least_ && is_free(k)) large.insert(n);
    }
    std::map<int64_t, int64_t> chosen;
    for (const int64_t n : large) {
      int64_t size = n % period_;
      while (size < least_ || (ordered_ && size <= last)) size += period_;
      chosen[n] = last = std::min(size, n);
    }
    sizes_.assign(classes_.count(), 0);
    for (size_t k = 0; k < classes_.count(); ++k) {
      const auto found = is_free(k) ? chosen.find(classes_.size(k)) : chosen.end();
      sizes_[k] = found == chosen.end() ? classes_.size(k) : found->second;
    }
    for (const SizeDistance& d : classes_.distances()) follow(d);
    for (size_t k = 0; k < classes_.count(); ++k)
      if (made_of_.contains(k) && !kept_[k]) sizes_[k] = 0;  // follows from its parts
  }

  // Of two free sizes at a distance one follows the other.
  void follow(const SizeDistance& d) {
    if (!is_free(d.a) || !is_free(d.b)) return;
    const int64_t apart = classes_.size(d.a) - classes_.size(d.b);
    if (fits(d.a, sizes_[d.b] + apart))
      sizes_[d.a] = sizes_[d.b] + apart;
    else if (fits(d.b, sizes_[d.a] - apart))
      sizes_[d.b] = sizes_[d.a] - apart;
  }

  // What the parts of a class make; none: they are not known, in a circle.
  std::optional<int64_t> made(size_t k, int depth) {
    if (sizes_[k] > 0 || depth > 64) return sizes_[k] > 0 ? std::optional(sizes_[k]) : std::nullopt;
    std::optional<int64_t> out;
    for (const size_t p : made_of_.at(k)) {
      int64_t product = classes_.products()[p].factor;
      for (const size_t part : classes_.products()[p].parts) {
        const auto size = made(part, depth + 1);
        const auto more = size ? checked_multiply(product, *size) : std::nullopt;
        if (!more) return std::nullopt;
        product = *more;
      }
      if (out && *out != product) return std::nullopt;
      out = product;
    }
    if (out) sizes_[k] = *out;
    return out;
  }

  // Keeps the sizes of a class and of all that it is made of.
  void keep(size_t k, int depth = 0) {
    if (kept_[k] || depth > 64) return;
    kept_[k] = true;
    const auto of = made_of_.find(k);
    if (of == made_of_.end()) return;
    for (const size_t p : of->second)
      for (const size_t part : classes_.products()[p].parts) keep(part, depth + 1);
  }

  bool fits(size_t k) const { return fits(k, sizes_[k]); }
  bool fits(size_t k, int64_t size) const {
    const int64_t n = classes_.size(k);
    return size > 0 && size <= n && (n % period_ == 0) == (size % period_ == 0) &&
           (n < least_ || size >= least_);
  }

  // Chooses, and keeps what does not fit; whether all did.
  bool round() {
    choose();
    bool all = true;
    const auto fail = [&](size_t k) {
      all = all && kept_[k];
      keep(k);
    };
    for (const auto& [k, products] : made_of_)
      if (!made(k, 0) || (!kept_[k] && !fits(k))) fail(k);
    for (const SizeProduct& p : classes_.products()) {
      int64_t product = p.factor;
      for (const size_t part : p.parts) product *= std::max<int64_t>(sizes_[part], 1);
      if (product == sizes_[p.whole]) continue;
      fail(p.whole);
      for (const size_t part : p.parts) fail(part);
    }
    for (const SizeDistance& d : classes_.distances()) all = bring_together(d) && all;
    for (const SizeLimit& l : classes_.limits()) {
      if (sizes_[l.small] <= sizes_[l.large]) continue;
      fail(l.small);
      fail(l.large);
    }
    return all;
  }

  // Two sizes at a distance: both stay where neither could follow the other.
  bool bring_together(const SizeDistance& d) {
    const int64_t apart = classes_.size(d.a) - classes_.size(d.b);
    if (sizes_[d.a] - sizes_[d.b] == apart) return true;
    const bool changed = !kept_[d.a] || !kept_[d.b];
    keep(d.a);
    keep(d.b);
    return !changed;
  }

  const SizeClasses& classes_;
  int64_t period_, least_;
  bool ordered_;
  std::vector<bool> kept_;
  std::map<size_t, std::vector<size_t>> made_of_;  // by class: places of its products
  std::vector<int64_t> sizes_;
};

}  // namespace

std::vector<int64_t> small_sizes(const SizeClasses& classes, const SizeWishes& wishes) {
  return SmallSizes(classes, wishes).find();
}

}  // namespace shardscope::inline session
