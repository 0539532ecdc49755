// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/factor_spread.h"

#include <algorithm>
#include <numeric>

namespace shardscope::inline partitioner {
namespace {

// What is left of a dimension's axes while its factors take theirs.
struct Remaining {
  AxisList axes;
  size_t at = 0;

  bool any() const { return at < axes.size(); }
  AxisPart take(int64_t size) {
    AxisPart& part = axes[at];
    const AxisPart taken{part.axis, part.before, size};
    if (size == part.size) {
      ++at;
    } else {
      part.before *= size;
      part.size /= size;
    }
    return taken;
  }
  void take_all(AxisList& into) {
    while (any()) append_axis(into, take(axes[at].size));
  }
};

// Axes that all arrays that have a factor agree on, from the major one on. `open`: a longer list may still
// make it longer.
struct Agreed {
  AxisList axes;
  bool open = true;

  void meet(const AxisList& other) {
    AxisList out;
    size_t n = 0;
    for (; n < axes.size() && n < other.size(); ++n) {
      const AxisPart &mine = axes[n], &theirs = other[n];
      if (mine == theirs) {
        out.push_back(mine);
        continue;
      }
      // One goes on from the other in the same axis: agreed as far as the shorter one, if that is not its
      // end.
      const bool shorter = begins(theirs, mine), longer = begins(mine, theirs);
      const bool ends = shorter ? n + 1 == other.size() : n + 1 == axes.size();
      if (shorter || longer) {
        const bool grows = longer && open && ends;
        out.push_back(shorter && ends ? mine : grows ? theirs : shorter ? theirs : mine);
        if (ends && (shorter || grows)) continue;
      }
      axes = std::move(out);
      open = false;
      return;
    }
    out.insert(out.end(), axes.begin() + static_cast<int64_t>(n), axes.end());
    if (open && n < other.size()) out.insert(out.end(), other.begin() + static_cast<int64_t>(n), other.end());
    axes = std::move(out);
  }
};

// Of a factor's agreed axes what an array can take, its other factors aside.
AxisList within_factor(const ArrayByFactors& array, const FactorAxes& own, int64_t factor_size,
                       const AxisList& agreed) {
  AxisList out;
  int64_t cut = 1;
  for (const AxisPart& part : agreed) {
    cut *= part.size;
    auto fits = beginning_without(part, array.replicated);
    if (fits) fits = beginning_without(*fits, array.unreduced);
    if (!fits) break;
    const bool held = std::ranges::any_of(own.axes, [&](const AxisPart& p) { return contains(p, *fits); });
    const bool may_grow = !own.closed && own.overflow.empty() && (own.minor_most || factor_size % cut == 0);
    if (!held && !may_grow) {
      if (!own.axes.empty() && begins(own.axes.back(), *fits)) out.push_back(own.axes.back());
      break;
    }
    out.push_back(*fits);
    if (!(*fits == part)) break;
  }
  return out;
}

// Of new axes what the array's other factors do not have.
AxisList across_factors(const ArrayByFactors& array, size_t factor, const AxisList& wanted) {
  AxisList out;
  for (const AxisPart& part : wanted) {
    std::optional<AxisPart> fits = part;
    for (size_t f = 0; fits && f < array.factors.size(); ++f) {
      if (f == factor || !array.factors[f]) continue;
      fits = beginning_without(*fits, array.factors[f]->axes);
      if (fits) fits = beginning_without(*fits, array.factors[f]->overflow);
    }
    if (!fits) break;
    out.push_back(*fits);
    if (!(*fits == part)) break;
  }
  return out;
}

class Spread {
 public:
  Spread(const FactorRule& rule, std::vector<ArrayByFactors>& arrays) : rule_(rule), arrays_(arrays) {}

  std::vector<bool> run(const std::function<FactorDirection(size_t)>& direction) {
    const size_t count = rule_.factors.size();
    agreed_.resize(count);
    sources_.resize(count);
    bool any = false;
    for (size_t f = 0; f < count; ++f) {
      agree(f, direction(f));
      any = any || !agreed_[f].empty();
    }
    std::vector<bool> out(arrays_.size(), false);
    if (!any) return out;
    // The axes of the largest array first; of two alike those of the first one.
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::ranges::stable_sort(order_, {}, [&](size_t f) { return sources_[f]; });
    limit_to_results();
    const std::vector<ArrayByFactors> before = arrays_;
    for (size_t a = 0; a < arrays_.size(); ++a) out[a] = take(before[a], a);
    return out;
  }

 private:
  bool is_result(size_t array) const { return array >= rule_.operands.size(); }

  void agree(size_t f, FactorDirection direction) {
    if (direction == FactorDirection::none || rule_.factors[f].blocked) return;
    Agreed agreed;
    const auto meet = [&](bool results) {
      for (size_t a = 0; a < arrays_.size(); ++a)
        if (is_result(a) == results && arrays_[a].factors[f]) agreed.meet(arrays_[a].factors[f]->axes);
    };
    const bool results_first = direction == FactorDirection::backward;
    meet(results_first);
    if (direction != FactorDirection::both) agreed.open = false;
    meet(!results_first);
    for (size_t a = 0; a < arrays_.size(); ++a)
      if (arrays_[a].factors[f] && !agreed.axes.empty() && arrays_[a].factors[f]->axes == agreed.axes)
        sources_[f] = std::min(sources_[f], Source(-arrays_[a].elements, a));
    agreed_[f] = std::move(agreed.axes);
  }

  // What no result can take does not go from one operand to another.
  void limit_to_results() {
    for (size_t f = 0; f < agreed_.size(); ++f) {
      std::optional<AxisList> longest;
      for (size_t a = rule_.operands.size(); a < arrays_.size(); ++a) {
        if (!arrays_[a].factors[f]) continue;
        AxisList fits = within_factor(arrays_[a], *arrays_[a].factors[f], rule_.factors[f].size, agreed_[f]);
        if (!longest || size_of(fits) > size_of(*longest)) longest = std::move(fits);
      }
      if (longest) agreed_[f] = *std::move(longest);
    }
  }

  bool take(const ArrayByFactors& before, size_t a) {
    ArrayByFactors& array = arrays_[a];
    bool changed = false;
    for (const size_t f : order_) {
      if (!before.factors[f] || agreed_[f].empty()) continue;
      AxisList wanted = within_factor(before, *before.factors[f], rule_.factors[f].size, agreed_[f]);
      if (!strictly_begins(before.factors[f]->axes, wanted)) continue;
      wanted = across_factors(array, f, wanted);
      if (!strictly_begins(before.factors[f]->axes, wanted)) continue;
      array.factors[f]->axes = std::move(wanted);
      changed = true;
    }
    return changed;
  }

  const FactorRule& rule_;
  std::vector<ArrayByFactors>& arrays_;
  std::vector<AxisList> agreed_;
  using Source = std::pair<int64_t, size_t>;  // less its elements, which array
  std::vector<Source> sources_;               // of each factor's axes
  std::vector<size_t> order_;
};

}  // namespace

std::vector<bool> spread_factors(const FactorRule& rule, std::vector<ArrayByFactors>& arrays,
                                 const std::function<FactorDirection(size_t factor)>& direction) {
  return Spread(rule, arrays).run(direction);
}

ArrayByFactors by_factors(const FactorRule& rule, const FactorRule::Mapping& mapping,
                          const ArrayAxes& array) {
  ArrayByFactors out;
  out.factors.resize(rule.factors.size());
  out.replicated = array.replicated;
  out.replicated.insert(out.replicated.end(), array.manual.begin(), array.manual.end());
  out.unreduced = array.unreduced;
  for (size_t d = 0; d < mapping.size(); ++d) {
    Remaining rest{array.dims[d]};
    bool full = false;  // axes that fit no factor lie before
    for (const size_t f : mapping[d]) {
      FactorAxes& own = out.factors[f].emplace();
      own.minor_most = f == mapping[d].back();
      own.closed = full || array.closed[d];
      out.elements *= rule.factors[f].size;
      if (full) continue;
      if (own.minor_most) {
        rest.take_all(own.axes);
        break;
      }
      int64_t size = rule.factors[f].size;
      while (rest.any()) {
        const int64_t common = std::gcd(size, rest.axes[rest.at].size);
        if (common == 1) break;
        own.axes.push_back(rest.take(common));
        size /= common;
      }
      full = size > 1 && rest.any();
      if (full) rest.take_all(own.overflow);
    }
  }
  return out;
}

ArrayAxes by_dims(const FactorRule& rule, const FactorRule::Mapping& mapping, const ArrayByFactors& array,
                  const ArrayAxes& was) {
  ArrayAxes out = was;
  for (size_t d = 0; d < mapping.size(); ++d) {
    out.dims[d].clear();
    for (const size_t f : mapping[d]) {
      const FactorAxes& own = *array.factors[f];
      for (const AxisPart& part : own.axes) append_axis(out.dims[d], part);
      for (const AxisPart& part : own.overflow) append_axis(out.dims[d], part);
      // What is behind a factor that is not cut all the way would be a strided view.
      if (!own.overflow.empty() || size_of(own.axes) < rule.factors[f].size) break;
    }
  }
  return out;
}

}  // namespace shardscope::inline partitioner
