// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/route_builder.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "engine/base/text.h"

namespace shardscope::inline sharding {
namespace {

using PartNumbers = std::vector<int>;

constexpr size_t kMostPrimes = 4;  // parts that are searched in all their orders
constexpr size_t kMostParts = 5;   // else
constexpr size_t kMostSplits = 20'000;

// All orders of all subsets that are not empty.
std::vector<PartNumbers> sequences(const PartNumbers& of) {
  std::vector<PartNumbers> out{{}};
  for (size_t done = 0; done < out.size(); ++done) {
    for (const int each : of) {
      if (std::ranges::count(out[done], each) > 0) continue;
      PartNumbers next = out[done];
      next.push_back(each);
      out.push_back(std::move(next));
    }
  }
  out.erase(out.begin());
  return out;
}

std::vector<int64_t> primes_of(int64_t number) {
  std::vector<int64_t> out;
  for (int64_t p = 2; number > 1; ++p)
    for (; number % p == 0; number /= p) out.push_back(p);
  return out;
}

void cut_at(std::set<int64_t>& cuts, int64_t size, int64_t at) {
  if (at <= 1 || at >= size || size % at != 0) return;
  // Parts are runs of factors: a cut that does not nest with the others has no place.
  const bool nests = std::ranges::all_of(cuts, [&](int64_t cut) { return cut % at == 0 || at % cut == 0; });
  if (nests) cuts.insert(at);
}

// An axis is cut in parts that every end is made of: of two places where it is cut one divides the other.
Result<void> check_parts_nest(const RouteQuestion& question) {
  AxisParts all;
  for (const AxisSplit& end : question.ends) {
    for (const AxisParts& parts : end.dims) all.insert(all.end(), parts.begin(), parts.end());
    all.insert(all.end(), end.partial.begin(), end.partial.end());
  }
  for (const AxisPart& a : all)
    for (const AxisPart& b : all)
      for (const int64_t cut : {a.before, a.before * a.size})
        for (const int64_t other : {b.before, b.before * b.size})
          if (a.axis == b.axis && cut % other != 0 && other % cut != 0)
            return invalid(
                fmt::format("the parts {} and {} of an axis do not nest",
                            axis_texts({a}, question.mesh).front(), axis_texts({b}, question.mesh).front()),
                "", "cut an axis at sizes of which one divides the other");
  return {};
}

}  // namespace

AxisParts cut_axes(const Mesh& mesh, const std::vector<AxisSplit>& ends, PartSizes sizes) {
  std::vector<std::set<int64_t>> cuts(mesh.axes().size());
  const auto cut = [&](const AxisPart& part) {
    const int64_t size = mesh.axes()[part.axis].size;
    cut_at(cuts[part.axis], size, part.before);
    cut_at(cuts[part.axis], size, part.before * part.size);
  };
  for (const AxisSplit& end : ends) {
    for (const AxisParts& parts : end.dims) std::ranges::for_each(parts, cut);
    std::ranges::for_each(end.partial, cut);
  }
  AxisParts out;
  for (size_t a = 0; a < cuts.size(); ++a) {
    const int64_t size = mesh.axes()[a].size;
    if (sizes == PartSizes::matching)
      for (const MeshAxis& other : mesh.axes()) cut_at(cuts[a], size, std::gcd(size, other.size));
    std::vector<int64_t> at(cuts[a].begin(), cuts[a].end());
    at.push_back(size);
    int64_t before = 1;
    for (const int64_t next : at) {
      std::vector<int64_t> factors{next / before};
      if (sizes == PartSizes::primes) factors = primes_of(next / before);
      for (const int64_t factor : factors) {
        if (factor > 1) out.push_back({a, before, factor});
        before *= factor;
      }
    }
  }
  return out;
}

bool RouteGraph::Builder::divides(const Split& split) const {
  for (size_t d = 0; d < split.dims.size(); ++d)
    if (question_.dims[d] % size_of(out_.parts_of(split.dims[d])) != 0) return false;
  return true;
}

void RouteGraph::Builder::place(size_t part, Split& split, bool& fits) {
  if (!fits || !divides(split)) return;
  if (part == out_.parts_.size()) {
    out_.numbers_.emplace(split, static_cast<int>(out_.splits_.size()));
    out_.splits_.push_back(split);
    fits = out_.splits_.size() <= kMostSplits;
    return;
  }
  const int number = static_cast<int>(part);
  place(part + 1, split, fits);
  if (question_.partial) {
    split.partial.push_back(number);
    place(part + 1, split, fits);
    split.partial.pop_back();
  }
  for (size_t d = 0; d < split.dims.size(); ++d) {
    for (size_t at = 0; at <= split.dims[d].size(); ++at) {
      split.dims[d].insert(split.dims[d].begin() + static_cast<std::ptrdiff_t>(at), number);
      place(part + 1, split, fits);
      split.dims[d].erase(split.dims[d].begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
}

bool RouteGraph::Builder::find_splits() {
  for (const PartSizes sizes : {PartSizes::primes, PartSizes::matching, PartSizes::given}) {
    out_.parts_ = cut_axes(question_.mesh, question_.ends, sizes);
    if (out_.parts_.size() > (sizes == PartSizes::primes ? kMostPrimes : kMostParts)) continue;
    out_.splits_.clear();
    out_.numbers_.clear();
    Split whole{std::vector<Numbers>(question_.dims.size()), {}};
    bool fits = true;
    place(0, whole, fits);
    if (fits) return true;
  }
  return false;
}

Result<RouteGraph> RouteGraph::Builder::build() {
  for (const AxisSplit& end : question_.ends)
    for (size_t d = 0; d < end.dims.size(); ++d)
      if (question_.dims[d] % size_of(end.dims[d]) != 0)
        return invalid(fmt::format("dimension {} of {} elements is not divisible by {} ({})", d,
                                   question_.dims[d], size_of(end.dims[d]),
                                   join(axis_texts(end.dims[d], question_.mesh), ", ")));
  TRY_VOID(check_parts_nest(question_));
  if (!find_splits())
    return invalid(fmt::format("the axes of mesh {} split an array in more ways than are searched",
                               question_.mesh.text()),
                   "", "use fewer axes");
  for (size_t node = 0; node < out_.splits_.size(); ++node) {
    const Split& split = out_.splits_[node];
    std::vector<int64_t> counts;
    for (const Numbers& dim : split.dims) counts.push_back(size_of(out_.parts_of(dim)));
    counts.push_back(size_of(out_.parts_of(split.partial)));
    alike_[counts].push_back(static_cast<int>(node));
  }
  out_.out_.resize(out_.splits_.size());
  out_.in_.resize(out_.splits_.size());
  for (size_t node = 0; node < out_.splits_.size(); ++node) {
    if (stop_.stop_requested()) return cancelled();
    TRY_VOID(add_steps(static_cast<int>(node)));
  }
  return std::move(out_);
}

Result<void> RouteGraph::Builder::add_steps(int node) {
  TRY_VOID(add_slices(node));
  TRY_VOID(add_gathers(node));
  TRY_VOID(add_exchanges(node));
  TRY_VOID(add_permutes(node));
  TRY_VOID(add_sums(node));
  return add_partial(node);
}

RouteGraph::Numbers RouteGraph::Builder::unused(const Split& split) const {
  std::vector<bool> used(out_.parts_.size());
  for (const Numbers& dim : split.dims)
    for (const int part : dim) used[static_cast<size_t>(part)] = true;
  for (const int part : split.partial) used[static_cast<size_t>(part)] = true;
  Numbers out;
  for (size_t part = 0; part < used.size(); ++part)
    if (!used[part]) out.push_back(static_cast<int>(part));
  return out;
}

Result<StepCost> RouteGraph::Builder::cost_of(int node, StepKind kind, const Numbers& axes, int to) {
  if (is_local(kind)) return StepCost{0, 0, 1};
  SplitStep step{kind, out_.parts_of(axes), out_.split_of(node), out_.split_of(to)};
  // Permutes differ by who sends to whom.
  if (kind == StepKind::permute) {
    TRY(StepCost cost, cost_(step));
    cost.steps = 1;
    return cost;
  }
  const bool cuts = kind != StepKind::all_reduce;
  const bool both = kind == StepKind::exchange;
  const Key key{kind, axes, part_dims(step.from, question_.dims),
                cuts && kind != StepKind::gather ? grown_dim(step) : 0,
                both || kind == StepKind::gather ? shrunk_dim(step) : 0};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  TRY(StepCost cost, cost_(step));
  cost.steps = 1;
  known_.emplace(key, cost);
  return cost;
}

Result<void> RouteGraph::Builder::add(int node, StepKind kind, Numbers axes, Split to) {
  std::ranges::sort(to.partial);
  const auto found = out_.numbers_.find(to);
  if (found == out_.numbers_.end()) return {};
  TRY(const StepCost cost, cost_of(node, kind, axes, found->second));
  const int number = static_cast<int>(out_.edges_.size());
  out_.edges_.push_back({node, found->second, kind, std::move(axes), cost});
  out_.out_[static_cast<size_t>(node)].push_back(number);
  out_.in_[static_cast<size_t>(found->second)].push_back(number);
  return {};
}

Result<void> RouteGraph::Builder::add_slices(int node) {
  const Split split = out_.splits_[static_cast<size_t>(node)];
  for (const int part : unused(split)) {
    for (size_t d = 0; d < split.dims.size(); ++d) {
      Split to = split;
      to.dims[d].push_back(part);
      TRY_VOID(add(node, StepKind::slice, {part}, std::move(to)));
    }
  }
  return {};
}

Result<void> RouteGraph::Builder::add_gathers(int node) {
  const Split split = out_.splits_[static_cast<size_t>(node)];
  for (size_t d = 0; d < split.dims.size(); ++d) {
    for (size_t keep = 0; keep < split.dims[d].size(); ++keep) {
      Split to = split;
      to.dims[d].resize(keep);
      Numbers axes(split.dims[d].begin() + static_cast<std::ptrdiff_t>(keep), split.dims[d].end());
      TRY_VOID(add(node, StepKind::gather, std::move(axes), std::move(to)));
    }
  }
  return {};
}

Result<void> RouteGraph::Builder::add_exchanges(int node) {
  const Split split = out_.splits_[static_cast<size_t>(node)];
  for (size_t from = 0; from < split.dims.size(); ++from) {
    for (size_t keep = 0; keep < split.dims[from].size(); ++keep) {
      const Numbers axes(split.dims[from].begin() + static_cast<std::ptrdiff_t>(keep),
                         split.dims[from].end());
      for (size_t dim = 0; dim < split.dims.size(); ++dim) {
        if (dim == from) continue;
        // In any order: pieces that come are put in theirs.
        PartNumbers order = axes;
        std::ranges::sort(order);
        do {
          Split to = split;
          to.dims[from].resize(keep);
          to.dims[dim].insert(to.dims[dim].end(), order.begin(), order.end());
          TRY_VOID(add(node, StepKind::exchange, order, std::move(to)));
        } while (std::ranges::next_permutation(order).found);
      }
    }
  }
  return {};
}

Result<void> RouteGraph::Builder::add_permutes(int node) {
  const Split split = out_.splits_[static_cast<size_t>(node)];
  std::vector<int64_t> counts;
  for (const Numbers& dim : split.dims) counts.push_back(size_of(out_.parts_of(dim)));
  counts.push_back(size_of(out_.parts_of(split.partial)));
  for (const int to : alike_.at(counts))
    if (to != node) TRY_VOID(add(node, StepKind::permute, {}, out_.splits_[static_cast<size_t>(to)]));
  return {};
}

Result<void> RouteGraph::Builder::add_sums(int node) {
  const Split split = out_.splits_[static_cast<size_t>(node)];
  for (const Numbers& axes : sequences(split.partial)) {
    Split rest = split;
    std::erase_if(rest.partial, [&](int part) { return std::ranges::count(axes, part) > 0; });
    if (std::ranges::is_sorted(axes)) TRY_VOID(add(node, StepKind::all_reduce, axes, rest));
    for (size_t d = 0; d < split.dims.size(); ++d) {
      Split to = rest;
      to.dims[d].insert(to.dims[d].end(), axes.begin(), axes.end());
      TRY_VOID(add(node, StepKind::reduce_scatter, axes, std::move(to)));
    }
  }
  return {};
}

Result<void> RouteGraph::Builder::add_partial(int node) {
  if (!question_.partial) return {};
  const Split split = out_.splits_[static_cast<size_t>(node)];
  for (const int part : unused(split)) {
    Split to = split;
    to.partial.push_back(part);
    TRY_VOID(add(node, StepKind::make_partial, {part}, std::move(to)));
  }
  for (size_t d = 0; d < split.dims.size(); ++d) {
    if (split.dims[d].empty()) continue;
    Split to = split;
    to.partial.push_back(to.dims[d].back());
    to.dims[d].pop_back();
    TRY_VOID(add(node, StepKind::make_partial, {split.dims[d].back()}, std::move(to)));
  }
  return {};
}

}  // namespace shardscope::inline sharding
