// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/rounds.h"

#include <algorithm>
#include <set>

namespace shardscope::inline planner {
namespace {

// The works from `first` on that work `number` waits for, directly or through joins; in no order, once each.
Needs needed_from(const Dependencies& dependencies, size_t number, int32_t first) {
  std::set<int32_t> seen;
  const auto own = dependencies.of_work(number);
  Needs out, open(own.begin(), own.end());
  while (!open.empty()) {
    const int32_t need = open.back();
    open.pop_back();
    if (dependencies.latest_of(need) < first || !seen.insert(need).second) continue;
    if (need < Dependencies::kFirstJoin) {
      out.push_back(need);
    } else {
      const Needs& more = dependencies.join(need);
      open.insert(open.end(), more.begin(), more.end());
    }
  }
  return out;
}

// Works [begin, end) and which of them each depends on.
class Round {
 public:
  Round(const Dependencies& needs, size_t begin, size_t end)
      : begin_(begin), size_(end - begin), before_(size_, std::vector<bool>(size_, false)) {
    for (size_t w = 0; w < size_; ++w) {
      // What lies between two works of it is of it too.
      for (const int32_t need : needed_from(needs, begin + w, static_cast<int32_t>(begin))) {
        const size_t n = static_cast<size_t>(need) - begin;
        before_[w][n] = true;
        for (size_t k = 0; k < n; ++k) before_[w][k] = before_[w][k] || before_[n][k];
      }
    }
  }
  bool depends(size_t work, size_t on) const { return before_[work - begin_][on - begin_]; }
  bool independent(size_t a, size_t b) const { return !depends(std::max(a, b), std::min(a, b)); }

 private:
  size_t begin_, size_;
  std::vector<std::vector<bool>> before_;
};

bool is_product(const Work& work) {
  return work.kind == WorkKind::compute && work.flops > 0;
}

// Products from `before` on, collectives from `begin` on.
void find_overlap(const Round& round, size_t before, size_t begin, size_t end, WorkPlan& plan) {
  std::vector<size_t> products, collectives;
  for (size_t w = before; w < end; ++w) {
    if (is_product(plan.works[w])) products.push_back(w);
    if (w >= begin && plan.works[w].sends()) collectives.push_back(w);
  }
  const auto beside = [&](size_t one, const std::vector<size_t>& others) {
    return std::ranges::any_of(others, [&](size_t other) { return round.independent(one, other); });
  };
  const auto first = std::ranges::find_if(products, [&](size_t product) {
    return !plan.works[product].synchronises && beside(product, collectives);
  });
  if (first == products.end()) return;
  plan.works[*first].synchronises = true;
  std::vector<size_t> met;
  for (const size_t collective : collectives) {
    const auto waits = [&](size_t other) { return round.depends(collective, other); };
    if (!beside(collective, products) || std::ranges::any_of(met, waits)) continue;
    plan.works[collective].synchronises = true;
    met.push_back(collective);
  }
}

}  // namespace

void find_rounds(const Dependencies& needs, WorkPlan& plan) {
  constexpr size_t kMostWorks = 4096;  // of two steps: longer ones are no rounds that anybody would see
  size_t before = 0;                   // where the step just before begins
  for (size_t begin = 0; begin < plan.works.size();) {
    const int32_t step = plan.works[begin].step;
    size_t end = begin + 1;
    while (end < plan.works.size() && plan.works[end].step == step) ++end;
    if (begin > before && plan.works[before].step < 0) before = begin;
    if (step >= 0 && end - before <= kMostWorks)
      find_overlap(Round(needs, before, end), before, begin, end, plan);
    before = begin;
    begin = end;
  }
}

}  // namespace shardscope::inline planner
