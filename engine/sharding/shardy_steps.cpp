// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/shardy_steps.h"

#include <algorithm>
#include <numeric>

#include "engine/base/check.h"

namespace shardscope::inline sharding {
namespace {

bool divides_either(int64_t a, int64_t b) {
  return a % b == 0 || b % a == 0;
}

AxisParts all_of(const std::vector<AxisParts>& lists) {
  AxisParts out;
  for (const AxisParts& list : lists) out.insert(out.end(), list.begin(), list.end());
  return out;
}

bool contains(const AxisParts& list, const AxisPart& part) {
  return std::ranges::count(list, part) > 0;
}

// As much of a part as still has room, and what is left of it.
struct Fitting {
  AxisPart within;
  std::optional<AxisPart> rest;
};
std::optional<Fitting> fitting(const AxisPart& part, int64_t& room) {
  if (room <= 1 || !divides_either(part.size, room)) return std::nullopt;
  if (room >= part.size) {
    room /= part.size;
    return Fitting{part, std::nullopt};
  }
  const Fitting out{{part.axis, part.before, room},
                    AxisPart{part.axis, part.before * room, part.size / room}};
  room = 1;
  return out;
}

// What is still to be done: by dimension the axes that split it now (`in_`) and in the end (`out_`), without
// the first ones that both have (`done_`).
class Reshard {
 public:
  Reshard(const AxisSplit& from, const AxisSplit& to, const std::vector<int64_t>& dims)
      : partial_(from.partial), dims_(dims), in_(from.dims), out_(to.dims), done_(from.dims.size()) {
    cut_alike(in_, all_of(out_));
    cut_alike(out_, all_of(in_));
    for (size_t d = 0; d < rank(); ++d) settle(d);
  }

  std::vector<SplitStep> steps() {
    for (int round = 0; round < 2 && !is_done(); ++round) {
      slice();
      if (should_permute()) permute();
      while (exchange(true)) continue;
      while (exchange(false)) continue;
      gather();
    }
    return std::move(steps_);
  }

 private:
  size_t rank() const { return in_.size(); }
  bool is_done() const { return all_of(in_).empty() && all_of(out_).empty(); }
  AxisSplit now() const {
    AxisSplit out{done_, partial_};
    for (size_t d = 0; d < rank(); ++d) {
      out.dims[d].insert(out.dims[d].end(), in_[d].begin(), in_[d].end());
      out.dims[d] = joined(out.dims[d]);
    }
    return out;
  }
  // What stands first on both sides is done.
  void settle(size_t d) {
    while (!in_[d].empty() && !out_[d].empty() && in_[d].front() == out_[d].front()) {
      done_[d].push_back(in_[d].front());
      in_[d].erase(in_[d].begin());
      out_[d].erase(out_[d].begin());
    }
  }
  void say(StepKind kind, AxisParts axes, const AxisSplit& before) {
    steps_.push_back({kind, joined(axes), before, now()});
  }

  // Of the dimension that the last axis of `from` goes to: axes behind it that can be cut at `from` already,
  // so that they go along.
  AxisParts cut_along(size_t from, std::vector<int64_t>& room) const {
    if (in_[from].empty() || !out_[from].empty()) return {};
    const AxisPart last = in_[from].back();
    for (size_t to = 0; to < rank(); ++to) {
      const auto at = std::ranges::find(out_[to], last);
      if (at == out_[to].end()) continue;
      const AxisParts used = all_of(in_);
      if (!in_[to].empty() || at + 1 == out_[to].end() || contains(used, *(at + 1))) return {};
      auto mine = in_[from].rbegin();
      auto theirs = std::make_reverse_iterator(at + 1);
      int64_t common = 1;
      for (; mine != in_[from].rend() && theirs != out_[to].rend() && *mine == *theirs; ++mine, ++theirs)
        common *= mine->size;
      for (; mine != in_[from].rend(); ++mine)
        if (contains(out_[to], *mine)) return {};
      AxisParts out;
      for (auto next = at + 1; next != out_[to].end() && !contains(used, *next); ++next) out.push_back(*next);
      if (dims_[from] % (size_of(done_[from]) * size_of(in_[from]) * size_of(out)) != 0) return {};
      room[to] /= common * size_of(out);
      return out;
    }
    return {};
  }

  void slice() {
    const AxisSplit before = now();
    AxisParts cut;
    std::vector<int64_t> room(rank());
    for (size_t d = 0; d < rank(); ++d) {
      const int64_t has = size_of(in_[d]), wants = size_of(out_[d]);
      room[d] = wants / std::gcd(has, wants);
    }
    for (size_t d = 0; d < rank(); ++d) {
      const AxisParts along = cut_along(d, room);
      in_[d].insert(in_[d].end(), along.begin(), along.end());
      cut.insert(cut.end(), along.begin(), along.end());
    }
    AxisParts homeless;
    for (size_t d = 0; d < rank(); ++d) slice_at_home(d, room[d], cut, homeless);
    place(homeless, room, false, &cut);
    if (!cut.empty()) say(StepKind::slice, cut, before);
  }

  // Axes that are to split the dimension, and are free, split it now.
  void slice_at_home(size_t d, int64_t& room, AxisParts& cut, AxisParts& homeless) {
    for (size_t k = 0; k < out_[d].size();) {
      const AxisPart axis = out_[d][k];
      if (contains(all_of(in_), axis)) {
        ++k;
        continue;
      }
      const auto fits = fitting(axis, room);
      if (!fits) {
        homeless.push_back(axis);
        ++k;
        continue;
      }
      cut.push_back(fits->within);
      const bool is_next = in_[d].empty() && k == 0;
      if (is_next) {
        done_[d].push_back(fits->within);
        out_[d].erase(out_[d].begin());
      } else {
        in_[d].push_back(fits->within);
        out_[d][k++] = fits->within;
      }
      if (!fits->rest) continue;
      out_[d].insert(out_[d].begin() + static_cast<std::ptrdiff_t>(k), *fits->rest);
      homeless.push_back(*fits->rest);
      ++k;
    }
  }

  // Axes go to the first dimension that has room for them.
  void place(AxisParts& axes, std::vector<int64_t>& room, bool front, AxisParts* placed) {
    for (size_t d = 0; d < rank(); ++d) place_in(d, axes, room[d], front, placed);
  }
  void place_in(size_t d, AxisParts& axes, int64_t& room, bool front, AxisParts* placed) {
    size_t at = front ? 0 : in_[d].size();
    AxisParts cut;
    for (size_t k = 0; k < axes.size() && room > 1;) {
      const auto fits = fitting(axes[k], room);
      if (!fits) {
        ++k;
        continue;
      }
      in_[d].insert(in_[d].begin() + static_cast<std::ptrdiff_t>(at++), fits->within);
      if (placed != nullptr) placed->push_back(fits->within);
      if (fits->rest) {
        axes[k] = *fits->rest;
        cut.push_back(fits->within);
      } else {
        axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(k));
      }
    }
    if (!cut.empty()) cut_alike(out_, cut);
  }

  // Dimension and place of an axis in the end.
  struct Target {
    size_t dim = 0, index = 0;
  };
  std::optional<Target> target_of(const AxisPart& axis) const {
    for (size_t d = 0; d < rank(); ++d) {
      const auto at = std::ranges::find(out_[d], axis);
      if (at != out_[d].end()) return Target{d, static_cast<size_t>(at - out_[d].begin())};
    }
    return std::nullopt;
  }

  bool should_permute() const {
    std::optional<AxisPart> leaves, comes;
    const AxisParts used = all_of(in_);
    for (size_t d = 0; d < rank(); ++d) {
      if (!in_[d].empty() && !out_[d].empty() && divides_either(in_[d].front().size, out_[d].front().size))
        return true;
      for (const AxisPart& axis : out_[d])
        if (!contains(used, axis)) comes = axis;
      if (is_out_of_order(d, leaves)) return true;
    }
    return comes && leaves && divides_either(comes->size, leaves->size);
  }
  // Axes that go to one dimension do not stand together in its order, or behind some that are to be gathered.
  bool is_out_of_order(size_t d, std::optional<AxisPart>& leaves) const {
    std::optional<Target> last;
    std::vector<bool> seen(rank());
    for (const AxisPart& axis : in_[d]) {
      const auto target = target_of(axis);
      if (target) {
        const bool follows = last && last->dim == target->dim && target->index == last->index + 1;
        if ((target->dim == d || seen[target->dim]) && !follows) return true;
        seen[target->dim] = true;
      } else if (last && out_[d].empty()) {
        return true;
      } else {
        leaves = axis;
      }
      last = target;
    }
    return false;
  }

  void permute() {
    const AxisSplit before = now();
    AxisParts coming;
    std::vector<AxisParts> leaving(rank());
    std::vector<int64_t> room(rank());
    const std::vector<AxisParts> had = in_, wanted = out_;
    for (size_t d = 0; d < rank(); ++d) {
      room[d] = size_of(in_[d]);
      int64_t used = room[d];
      // What belongs here comes here.
      while (room[d] > 1 && !out_[d].empty()) {
        const auto fits = fitting(out_[d].front(), room[d]);
        if (!fits) break;
        out_[d].erase(out_[d].begin());
        done_[d].push_back(fits->within);
        if (fits->rest) out_[d].insert(out_[d].begin(), *fits->rest);
      }
      coming.insert(coming.end(), out_[d].begin(), out_[d].end());
      used /= room[d];
      AxisParts rest = in_[d];
      std::erase_if(rest, [&](const AxisPart& axis) { return contains(all_of(wanted), axis); });
      while (used > 1 && !rest.empty()) {
        const auto fits = fitting(rest.front(), used);
        if (!fits) break;
        rest.erase(rest.begin());
        leaving[d].push_back(fits->within);
        if (fits->rest) rest.insert(rest.begin(), *fits->rest);
      }
      leaving[d].insert(leaving[d].begin(), rest.begin(), rest.end());
      in_[d].clear();
    }
    place(coming, room, false, nullptr);
    for (size_t d = 0; d < rank(); ++d) place_in(d, leaving[d], room[d], true, nullptr);
    AxisParts others = all_of(leaving);
    place(others, room, true, nullptr);
    say(StepKind::permute, {}, before);
  }

  // The last axes of a dimension that all go to one other dimension go there; `in_place`: only where they
  // come next.
  bool exchange(bool in_place) {
    for (size_t from = 0; from < rank(); ++from) {
      size_t first = in_[from].size();
      std::optional<size_t> to;
      while (first > 0) {
        const auto target = target_of(in_[from][first - 1]);
        if (!target || target->dim == from || (to && *to != target->dim)) break;
        to = target->dim;
        --first;
      }
      if (!to) continue;
      const AxisParts axes(in_[from].begin() + static_cast<std::ptrdiff_t>(first), in_[from].end());
      const bool come_next =
          axes.size() <= out_[*to].size() && std::equal(axes.begin(), axes.end(), out_[*to].begin());
      if (in_place && !come_next) continue;
      const AxisSplit before = now();
      in_[from].resize(first);
      in_[*to].insert(in_[*to].end(), axes.begin(), axes.end());
      settle(*to);
      say(StepKind::exchange, axes, before);
      return true;
    }
    return false;
  }

  void gather() {
    const AxisSplit before = now();
    AxisParts axes;
    for (size_t d = 0; d < rank(); ++d) {
      size_t first = in_[d].size();
      while (first > 0 && !target_of(in_[d][first - 1])) --first;
      axes.insert(axes.end(), in_[d].begin() + static_cast<std::ptrdiff_t>(first), in_[d].end());
      in_[d].resize(first);
    }
    if (!axes.empty()) say(StepKind::gather, axes, before);
  }

  AxisParts partial_;
  const std::vector<int64_t>& dims_;
  std::vector<AxisParts> in_, out_, done_;
  std::vector<SplitStep> steps_;
};

}  // namespace

std::optional<std::vector<SplitStep>> shardy_steps(const AxisSplit& from, const AxisSplit& to, const Mesh&,
                                                   const std::vector<int64_t>& dims) {
  std::vector<SplitStep> out;
  AxisSplit at = from;
  std::vector<AxisParts> had{from.partial}, wanted{to.partial};
  cut_alike(had, to.partial);
  cut_alike(wanted, from.partial);
  AxisParts sums;
  for (const AxisPart& axis : wanted.front())
    if (!contains(had.front(), axis)) return std::nullopt;
  for (const AxisPart& axis : had.front())
    if (!contains(wanted.front(), axis)) sums.push_back(axis);
  if (!sums.empty()) {
    AxisSplit summed = from;
    summed.partial = to.partial;
    out.push_back({StepKind::all_reduce, joined(sums), at, summed});
    at = std::move(summed);
  }
  for (SplitStep& step : Reshard(at, to, dims).steps()) out.push_back(std::move(step));
  return out;
}

std::optional<ScatteredSum> scattered_sum(const SplitStep& sum, const SplitStep& slice) {
  AxisParts rest = sum.axes;
  ScatteredSum out{{StepKind::reduce_scatter, sum.axes, sum.from, sum.to}, slice};
  for (size_t d = 0; d < slice.to.dims.size(); ++d) {
    const AxisParts& before = slice.from.dims[d];
    std::vector<AxisParts> after{slice.to.dims[d]};
    cut_alike(after, before);
    for (size_t k = before.size(); k < after[0].size(); ++k) {
      const auto found = std::ranges::find(rest, after[0][k]);
      if (found == rest.end()) break;
      rest.erase(found);
      out.scatter.to.dims[d].push_back(after[0][k]);
    }
    out.scatter.to.dims[d] = joined(out.scatter.to.dims[d]);
  }
  if (!rest.empty()) return std::nullopt;
  out.rest->from = out.scatter.to;
  if (out.rest->from == out.rest->to) out.rest.reset();
  return out;
}

}  // namespace shardscope::inline sharding
