// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/shardy_product.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "engine/sharding/shardy_steps.h"

namespace shardscope {
namespace {

// By factor, m, n, k: what Shardy numbers them.
enum ProductFactor : size_t { kM, kN, kK, kFactors };
using ByFactor = std::array<AxisParts, kFactors>;

bool is_prefix(const AxisParts& prefix, const AxisParts& of) {
  return prefix.size() <= of.size() && std::equal(prefix.begin(), prefix.end(), of.begin());
}

bool overlap(const AxisParts& a, const AxisParts& b) {
  return std::ranges::any_of(a, [&](const AxisPart& part) { return std::ranges::count(b, part) > 0; });
}

// One array's split by factors.
struct Said {
  std::array<std::optional<AxisParts>, kFactors> of;
  int64_t size = 0;
};

// A factor could be split by these axes; `size`: of the arrays that say so.
struct Candidate {
  size_t factor = 0;
  AxisParts axes;
  int64_t arrays = 0, split = 1;
};

class CommonAxes {
 public:
  CommonAxes(const std::array<Said, 3>& arrays, const Mesh& mesh) : arrays_(arrays), mesh_(mesh) {}

  ByFactor find() {
    if (const auto all = agreed()) return *all;
    collect();
    ByFactor out;
    while (!candidates_.empty()) {
      const Candidate best = *std::ranges::max_element(
          candidates_, [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
      out[best.factor] = best.axes;
      drop(best, out);
    }
    return out;
  }

 private:
  // All arrays say the same of every factor, and no axis stands at two.
  std::optional<ByFactor> agreed() const {
    ByFactor out;
    AxisParts used;
    for (size_t f = 0; f < kFactors; ++f) {
      std::optional<AxisParts> axes;
      for (const Said& array : arrays_) {
        if (!array.of[f]) continue;
        if (axes && *axes != *array.of[f]) return std::nullopt;
        axes = *array.of[f];
      }
      if (!axes) continue;
      if (overlap(*axes, used)) return std::nullopt;
      used.insert(used.end(), axes->begin(), axes->end());
      out[f] = *axes;
    }
    return out;
  }

  void collect() {
    for (const Said& array : arrays_) {
      for (size_t f = 0; f < kFactors; ++f) {
        if (!array.of[f]) continue;
        for (AxisParts axes = *array.of[f]; !axes.empty(); axes.pop_back()) {
          const bool known = std::ranges::any_of(
              candidates_, [&](const Candidate& c) { return c.factor == f && c.axes == axes; });
          if (!known) candidates_.push_back({f, axes, 0, size_of(axes)});
        }
      }
    }
    for (const Said& array : arrays_)
      for (Candidate& c : candidates_)
        if (array.of[c.factor] && is_prefix(c.axes, *array.of[c.factor])) c.arrays += array.size;
  }

  // Larger is better: larger arrays, what is no contraction, more devices; then the later factor and axes by
  // their names.
  std::tuple<int64_t, int, int64_t, size_t, std::vector<std::string>> key(const Candidate& c) const {
    return {c.arrays, c.factor == kK ? 2 : 3, c.split, c.factor, axis_texts(c.axes, mesh_)};
  }

  // What cannot go on from what is taken.
  void drop(const Candidate& best, const ByFactor& taken) {
    std::vector<Candidate> rest;
    for (Candidate& c : candidates_) {
      if (c.factor == best.factor) {
        if (!is_prefix(best.axes, c.axes) || c.axes == best.axes) continue;
      } else {
        const auto clash = std::ranges::find_if(
            c.axes, [&](const AxisPart& part) { return std::ranges::count(best.axes, part) > 0; });
        c.axes.erase(clash, c.axes.end());
        if (c.axes.empty() || c.axes == taken[c.factor]) continue;
      }
      c.split = size_of(c.axes) / size_of(taken[c.factor]);
      rest.push_back(std::move(c));
    }
    candidates_ = std::move(rest);
  }

  const std::array<Said, 3>& arrays_;
  const Mesh& mesh_;
  std::vector<Candidate> candidates_;
};

// A sum over axes that all are what the slice behind it cuts first.
std::vector<SplitStep> with_scatters(std::vector<SplitStep> steps) {
  if (steps.size() < 2 || steps[0].kind != StepKind::all_reduce || steps[1].kind != StepKind::slice)
    return steps;
  AxisParts rest = steps[0].axes;
  const AxisSplit& sliced = steps[1].to;
  SplitStep scatter{StepKind::reduce_scatter, steps[0].axes, steps[0].from, steps[0].to};
  for (size_t d = 0; d < sliced.dims.size(); ++d) {
    const AxisParts& before = steps[1].from.dims[d];
    std::vector<AxisParts> after{sliced.dims[d]};
    cut_alike(after, before);
    for (size_t k = before.size(); k < after[0].size(); ++k) {
      const auto found = std::ranges::find(rest, after[0][k]);
      if (found == rest.end()) break;
      rest.erase(found);
      scatter.to.dims[d].push_back(after[0][k]);
    }
    scatter.to.dims[d] = joined(scatter.to.dims[d]);
  }
  if (!rest.empty()) return steps;
  steps[1].from = scatter.to;
  steps[0] = std::move(scatter);
  if (steps[1].from == steps[1].to) steps.erase(steps.begin() + 1);
  return steps;
}

}  // namespace

SplitProduct local_product(const AxisParts& m, const AxisParts& k, const AxisParts& n) {
  AxisParts sums = k;
  std::ranges::sort(sums);
  return {{{m, k}, {}}, {{k, n}, {}}, {{m, n}, joined(sums)}};
}

ProductSteps shardy_product(const ProductSplits& said, const Mesh& mesh) {
  const int64_t m = said.sizes[0], k = said.sizes[1], n = said.sizes[2];
  const std::array<Said, 3> arrays = {Said{{said.lhs.dims[0], std::nullopt, said.lhs.dims[1]}, m * k},
                                      Said{{std::nullopt, said.rhs.dims[1], said.rhs.dims[0]}, k * n},
                                      Said{{said.result.dims[0], said.result.dims[1], std::nullopt}, m * n}};
  const ByFactor axes = CommonAxes(arrays, mesh).find();
  ProductSteps out;
  out.local = local_product(axes[kM], axes[kK], axes[kN]);
  out.lhs = *shardy_steps(said.lhs, out.local.lhs, mesh, {m, k});
  out.rhs = *shardy_steps(said.rhs, out.local.rhs, mesh, {k, n});
  out.result = with_scatters(*shardy_steps(out.local.result, said.result, mesh, {m, n}));
  return out;
}

}  // namespace shardscope
