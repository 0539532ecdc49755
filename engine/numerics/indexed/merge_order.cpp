// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/indexed/merge_order.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "engine/numerics/rules/lifted.h"

namespace shardscope::inline numerics {
namespace {

using Places = std::vector<int64_t>;

constexpr int64_t kMergedTogether = int64_t{1} << 20;  // elements of one device that are compared at a time

// Merges runs of all rows at once, in the manner of D. E. Muller and others: the place of an element in a
// merge is its own in its run and the number of elements of the other run that come before it, found by
// bisection. So one comparison of many pairs takes the place of many of one.
class Merger {
 public:
  Merger(Step& step, const SortedRows& sorted, int64_t first_row, int64_t rows)
      : step_(step), sorted_(sorted), n_(sorted.n), first_(first_row * sorted.n), count_(rows * sorted.n) {
    Places own(static_cast<size_t>(count_));
    for (int64_t e = 0; e < count_; ++e) own[static_cast<size_t>(e)] = e % n_;
    order_.assign(step.devices(), own);
  }

  Result<std::vector<Places>> order() {
    for (int64_t run = 1; run < n_; run *= 2) TRY_VOID(merge(run));
    forget_lifted(step_.run, {step_.at()}, count_);
    return std::move(order_);
  }

 private:
  // The pair of runs that position e of the rows is in.
  struct Pair {
    int64_t start, middle, end;  // positions of the rows
    bool in_left;
    int64_t other() const { return in_left ? end - middle : middle - start; }
    int64_t other_start() const { return in_left ? middle : start; }
  };
  Pair pair_of(int64_t e, int64_t run) const {
    const int64_t row = e / n_ * n_, start = row + e % n_ / (2 * run) * (2 * run);
    const int64_t middle = std::min(start + run, row + n_), end = std::min(start + 2 * run, row + n_);
    return {start, middle, end, e < middle};
  }

  Result<void> merge(int64_t run) {
    // Of the other run's elements: `low` of them are known to come before, from `high` on they do not.
    std::vector<Places> low(step_.devices(), Places(static_cast<size_t>(count_), 0)), high;
    for (size_t d = 0; d < step_.devices(); ++d) {
      Places& bound = high.emplace_back(static_cast<size_t>(count_));
      for (int64_t e = 0; e < count_; ++e) bound[static_cast<size_t>(e)] = pair_of(e, run).other();
    }
    for (int64_t left = run; left > 0; left /= 2) {
      if (step_.run.stop.stop_requested()) return cancelled();
      TRY_VOID(halve(run, low, high));
    }
    on_devices([&](size_t d) { put_in_order(run, low[d], order_[d]); });
    return {};
  }

  Result<void> halve(int64_t run, std::vector<Places>& low, std::vector<Places>& high) {
    std::vector<Places> left = low, right = low;  // positions of the two that are compared
    on_devices([&](size_t d) {
      for (int64_t e = 0; e < count_; ++e) {
        const auto at = static_cast<size_t>(e);
        const Pair pair = pair_of(e, run);
        const int64_t last = std::max<int64_t>(pair.other() - 1, 0);
        const int64_t middle = std::min((low[d][at] + high[d][at]) / 2, last);
        const int64_t other = pair.other() == 0 ? e : pair.other_start() + middle;
        left[d][at] = pair.in_left ? e : other;
        right[d][at] = pair.in_left ? other : e;
      }
    });
    TRY(const std::vector<ViewPtr> is_less, compared(right, left));
    on_devices([&](size_t d) {
      const std::byte* truth = is_less[d]->data();
      for (int64_t e = 0; e < count_; ++e) {
        const auto at = static_cast<size_t>(e);
        if (low[d][at] >= high[d][at]) continue;
        const int64_t middle = (low[d][at] + high[d][at]) / 2;
        // Of equal elements those of the left run come first.
        const bool right_first = truth[e] != std::byte{};
        const bool other_first = pair_of(e, run).in_left ? right_first : !right_first;
        (other_first ? low : high)[d][at] = other_first ? middle + 1 : middle;
      }
    });
    return {};
  }

  // Whether the element at a[k] comes before that at b[k].
  Result<std::vector<ViewPtr>> compared(const std::vector<Places>& a, const std::vector<Places>& b) {
    ArrayViews arguments;
    for (const std::vector<ViewPtr>& array : sorted_.arrays) {
      arguments.push_back(elements(array, a));
      arguments.push_back(elements(array, b));
    }
    TRY(const ArrayViews truth, apply_lifted(step_.run, {step_.at()}, count_, arguments));
    return step_.plain(truth.front());
  }

  std::vector<ViewPtr> elements(const std::vector<ViewPtr>& array, const std::vector<Places>& positions) {
    std::vector<Array> made;
    for (const ViewPtr& view : array) made.push_back(step_.run.pool.take(view->type(), {count_}));
    on_devices([&](size_t d) {
      const auto size = static_cast<size_t>(stored_bytes(made[d].type(), 1));
      const std::byte* from = array[d]->data();
      std::byte* to = made[d].mutable_data();
      for (const int64_t position : positions[d]) {
        const int64_t row = first_ + position / n_ * n_;
        const auto place = static_cast<size_t>(row + order_[d][static_cast<size_t>(position)]);
        std::memcpy(to, from + place * size, size);
        to += size;
      }
    });
    std::vector<ViewPtr> out;
    for (const Array& a : made) out.push_back(std::make_shared<View>(View::of(a)));
    return out;
  }

  template <class F>
  void on_devices(F&& body) const {
    step_.run.workers.parallel_for(static_cast<int64_t>(step_.devices()),
                                   [&](int64_t d) { body(static_cast<size_t>(d)); });
  }

  // `before`: how many of the other run come before each element.
  void put_in_order(int64_t run, const Places& before, Places& order) const {
    Places merged(order.size(), -1);
    for (int64_t e = 0; e < count_; ++e) {
      const Pair pair = pair_of(e, run);
      const int64_t own = e - (pair.in_left ? pair.start : pair.middle);
      const auto at = static_cast<size_t>(e);
      int64_t& place = merged[static_cast<size_t>(pair.start + own + before[at])];
      if (place < 0) place = order[at];
    }
    if (std::ranges::count(merged, -1) == 0)
      order = std::move(merged);
    else
      by_rank(run, before, order);
  }

  // Two elements want one place: the comparison is no order. The left run's go first.
  void by_rank(int64_t run, const Places& before, Places& order) const {
    const Places was = order;
    for (int64_t start = 0; start < count_; start = pair_of(start, run).end) {
      const Pair pair = pair_of(start, run);
      Places positions(static_cast<size_t>(pair.end - start));
      std::iota(positions.begin(), positions.end(), start);
      const auto rank = [&](int64_t e) {
        return e - (e < pair.middle ? pair.start : pair.middle) + before[static_cast<size_t>(e)];
      };
      std::ranges::stable_sort(positions, {}, rank);
      for (size_t k = 0; k < positions.size(); ++k)
        order[static_cast<size_t>(start) + k] = was[static_cast<size_t>(positions[k])];
    }
  }

  Step& step_;
  const SortedRows& sorted_;
  int64_t n_, first_, count_;
  std::vector<Places> order_;  // by device
};

}  // namespace

Result<std::vector<std::vector<int64_t>>> merge_order(Step& step, const SortedRows& sorted) {
  std::vector<Places> out(step.devices());
  const int64_t together = std::max<int64_t>(1, kMergedTogether / std::max<int64_t>(sorted.n, 1));
  for (int64_t row = 0; row < sorted.rows; row += together) {
    TRY(const std::vector<Places> order,
        Merger(step, sorted, row, std::min(together, sorted.rows - row)).order());
    for (size_t d = 0; d < out.size(); ++d) out[d].insert(out[d].end(), order[d].begin(), order[d].end());
  }
  return out;
}

}  // namespace shardscope::inline numerics
