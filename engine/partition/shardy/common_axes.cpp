// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/common_axes.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>

namespace shardscope::inline partitioner {
namespace {

using Kind = FactorRule::Kind;

bool overlap(const AxisPart& a, const AxisPart& b) {
  return a.axis == b.axis && a.before < b.before * b.size && b.before < a.before * a.size;
}

bool overlap(const AxisPart& part, const AxisList& others) {
  return std::ranges::any_of(others, [&](const AxisPart& other) { return overlap(part, other); });
}

// The list up to where it meets one of `others`.
AxisList without_overlap(const AxisList& axes, const AxisList& others) {
  AxisList out;
  for (const AxisPart& part : axes) {
    const auto fits = beginning_without(part, others);
    if (!fits) break;
    out.push_back(*fits);
    if (!(*fits == part)) break;
  }
  return out;
}

bool begins_or_is(const AxisList& a, const AxisList& b) {
  return a == b || strictly_begins(a, b);
}

// A factor could be split by these axes; `elements`: of the arrays that say so.
struct Candidate {
  size_t factor = 0;
  AxisList axes;
  int64_t elements = 0, split = 1;
};

class CommonAxes {
 public:
  CommonAxes(const FactorRule& rule, const std::vector<ArrayByFactors>& arrays, const AxisMesh& mesh)
      : rule_(rule), arrays_(arrays), mesh_(mesh), out_(rule.factors.size()) {}

  std::vector<AxisList> find() {
    if (auto all = agreed()) return *std::move(all);
    if (is_between_two()) return of_preferred();
    collect();
    wait_for_major_factors();
    while (const auto best = best_candidate()) take(Candidate(*best));
    hand_to_batches();
    return std::move(out_);
  }

 private:
  bool has(size_t array, size_t f) const { return arrays_[array].factors[f].has_value(); }
  const AxisList& said(size_t array, size_t f) const { return arrays_[array].factors[f]->axes; }

  // All arrays say the same of every factor, and no axis stands at two.
  std::optional<std::vector<AxisList>> agreed() const {
    std::vector<AxisList> out(rule_.factors.size());
    AxisList used;
    for (size_t f = 0; f < out.size(); ++f) {
      std::optional<AxisList> axes;
      for (size_t a = 0; a < arrays_.size(); ++a) {
        if (!has(a, f)) continue;
        if (axes && *axes != said(a, f)) return std::nullopt;
        axes = said(a, f);
      }
      if (!axes) continue;
      if (rule_.factors[f].kind == Kind::need_replication && !axes->empty()) return std::nullopt;
      for (const AxisPart& part : *axes)
        if (overlap(part, used)) return std::nullopt;
      used.insert(used.end(), axes->begin(), axes->end());
      out[f] = *std::move(axes);
    }
    return out;
  }

  // Of the arrays with dimensions there are two, every dimension is one factor and none has to be whole.
  bool is_between_two() {
    ends_.clear();
    for (size_t a = 0; a < arrays_.size(); ++a) {
      if (!rule_.array(a).empty()) ends_.push_back(a);
      for (const auto& factors : rule_.array(a))
        if (factors.size() > 1) return false;
    }
    return ends_.size() == 2 && std::ranges::none_of(rule_.factors, [](const FactorRule::Factor& f) {
             return f.kind == Kind::need_replication;
           });
  }

  // Preferred is what splits nothing that neighbours' elements are asked for of, then the larger array, then
  // the one in more parts.
  std::vector<AxisList> of_preferred() const {
    const auto key = [&](size_t a) {
      bool neighbours = false;
      int64_t parts = 1;
      for (size_t f = 0; f < rule_.factors.size(); ++f) {
        if (!has(a, f)) continue;
        parts *= size_of(said(a, f));
        neighbours = neighbours || (rule_.factors[f].kind == Kind::permutation && !said(a, f).empty());
      }
      return std::tuple(!neighbours, arrays_[a].elements, parts);
    };
    const bool first = key(ends_[0]) >= key(ends_[1]);
    const size_t one = ends_[first ? 0 : 1], other = ends_[first ? 1 : 0];
    std::vector<AxisList> out(rule_.factors.size());
    AxisList used;
    for (size_t f = 0; f < out.size(); ++f) {
      if (!has(one, f)) continue;
      out[f] = said(one, f);
      used.insert(used.end(), out[f].begin(), out[f].end());
    }
    for (size_t f = 0; f < out.size(); ++f)
      if (has(other, f) && !has(one, f)) out[f] = without_overlap(said(other, f), used);
    return out;
  }

  void collect() {
    for (size_t a = 0; a < arrays_.size(); ++a) {
      for (size_t f = 0; f < rule_.factors.size(); ++f) {
        if (!has(a, f)) continue;
        for (AxisList axes = said(a, f); !axes.empty(); axes.pop_back()) {
          const bool known = std::ranges::any_of(
              candidates_, [&](const Candidate& c) { return c.factor == f && c.axes == axes; });
          if (!known) candidates_.push_back({f, axes, 0, size_of(axes)});
        }
      }
    }
    for (size_t a = 0; a < arrays_.size(); ++a)
      for (Candidate& c : candidates_)
        if (has(a, c.factor) && begins_or_is(c.axes, said(a, c.factor))) c.elements += arrays_[a].elements;
  }

  // A factor is split once those in front of it in some dimension are split all the way.
  void wait_for_major_factors() {
    before_.assign(rule_.factors.size(), {});
    for (size_t a = 0; a < arrays_.size(); ++a)
      for (const auto& factors : rule_.array(a))
        for (size_t k = 1; k < factors.size(); ++k) before_[factors[k]].insert(factors[k - 1]);
  }

  static int precedence(Kind kind) {
    switch (kind) {
      case Kind::pass_through:
        return 3;
      case Kind::reduction:
        return 2;
      case Kind::permutation:
        return 1;
      case Kind::need_replication:
        return 0;
    }
    return 0;
  }
  // Larger is better; what is alike in all else is decided by the factor's number and the axes' names.
  auto key(const Candidate& c) const {
    std::vector<std::tuple<std::string, int64_t, int64_t>> names;
    for (const AxisPart& part : c.axes) names.emplace_back(mesh_.names[part.axis], part.before, part.size);
    return std::tuple(c.elements, precedence(rule_.factors[c.factor].kind), c.split, c.factor, names.size(),
                      names);
  }
  std::optional<Candidate> best_candidate() const {
    const Candidate* best = nullptr;
    for (const Candidate& c : candidates_)
      if (before_[c.factor].empty() && (best == nullptr || key(*best) < key(c))) best = &c;
    return best == nullptr ? std::nullopt : std::optional(*best);
  }

  void take(const Candidate& best) {
    out_[best.factor] = best.axes;
    if (size_of(best.axes) == rule_.factors[best.factor].size)
      for (auto& factors : before_) factors.erase(best.factor);
    std::vector<Candidate> rest;
    for (Candidate& c : candidates_) {
      AxisList had;  // what the factor is split by already
      if (c.factor == best.factor) {
        if (!strictly_begins(best.axes, c.axes)) continue;
        had = best.axes;
      } else if (AxisList fits = without_overlap(c.axes, best.axes); fits != c.axes) {
        c.axes = std::move(fits);
        if (c.axes == out_[c.factor]) continue;
        had = out_[c.factor];
      }
      c.split = size_of(c.axes) / size_of(had);
      rest.push_back(std::move(c));
    }
    candidates_ = std::move(rest);
  }

  bool is_everywhere(size_t f) const {
    for (size_t a = 0; a < arrays_.size(); ++a)
      if (!rule_.array(a).empty() && !has(a, f)) return false;
    return true;
  }

  // Axes of what has to be whole split dimensions that all arrays pass on, where there is room.
  void hand_to_batches() {
    for (size_t f = 0; f < out_.size(); ++f) {
      if (rule_.factors[f].kind != Kind::need_replication) continue;
      AxisList axes = std::move(out_[f]);
      out_[f].clear();
      if (!is_everywhere(f)) continue;
      for (size_t to = 0; to < out_.size() && !axes.empty(); ++to) hand_to(to, axes);
    }
  }
  void hand_to(size_t to, AxisList& axes) {
    const FactorRule::Factor& factor = rule_.factors[to];
    const int64_t split = size_of(out_[to]);
    if (factor.kind != Kind::pass_through || !is_everywhere(to) || factor.size == 0 ||
        factor.size % split != 0)
      return;
    int64_t room = factor.size / split;
    while (!axes.empty() && room % axes.front().size == 0) {
      append_axis(out_[to], axes.front());
      room /= axes.front().size;
      axes.erase(axes.begin());
    }
  }

  const FactorRule& rule_;
  const std::vector<ArrayByFactors>& arrays_;
  const AxisMesh& mesh_;
  std::vector<AxisList> out_;
  std::vector<size_t> ends_;
  std::vector<Candidate> candidates_;
  std::vector<std::set<size_t>> before_;
};

}  // namespace

std::vector<AxisList> common_axes(const FactorRule& rule, const std::vector<ArrayByFactors>& arrays,
                                  const AxisMesh& mesh) {
  return CommonAxes(rule, arrays, mesh).find();
}

}  // namespace shardscope::inline partitioner
