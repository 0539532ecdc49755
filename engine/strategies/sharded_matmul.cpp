// SPDX-License-Identifier: Apache-2.0
// The four cases of "How to Scale Your Model" (Austin et al. 2025), chapter 3: contraction unsplit; split on
// one side; split alike on both sides; a free dimension of both split by one axis.
#include "engine/strategies/sharded_matmul.h"

#include <algorithm>

namespace shardscope {
namespace {

using Axes = std::vector<std::string>;

// A matrix on its way: its local value and which axes split each of its two dimensions.
struct Split {
  const char* name;
  Value value;
  Axes axes[2];
};

Axes axes_of(const PartitionSpec& spec, size_t dim) {
  return dim < spec.dims.size() ? spec.dims[dim] : Axes();
}

PartitionSpec spec_of(const Split& m) {
  return {{m.axes[0], m.axes[1]}};
}

bool starts_with(const Axes& axes, const Axes& prefix) {
  return prefix.size() <= axes.size() && std::equal(prefix.begin(), prefix.end(), axes.begin());
}

Axes common_prefix(const Axes& a, const Axes& b) {
  return {a.begin(), std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first};
}

bool uses(const Split& m, const std::string& axis) {
  return std::ranges::count(m.axes[0], axis) + std::ranges::count(m.axes[1], axis) > 0;
}

// Gathers the last axes of a dimension, the most minor first, until `keep` is left.
void gather_down_to(SpmdBuilder& b, Split& m, size_t dim, const Axes& keep) {
  while (m.axes[dim].size() > keep.size()) {
    b.phase(std::string("gather ") + m.name + " over " + m.axes[dim].back());
    m.value = b.all_gather(m.value, m.axes[dim].back(), dim);
    m.axes[dim].pop_back();
  }
}

// Devices along `axis` all hold the same: each keeps its own part.
void cut(SpmdBuilder& b, Split& m, size_t dim, const std::string& axis) {
  const int64_t part = m.value.dim(dim) / b.size(axis);
  b.phase(std::string("own part of ") + m.name + " on " + axis);
  m.value = b.dynamic_slice(m.value, dim, b.axis_index(axis) * part, part);
  m.axes[dim].push_back(axis);
}

// Cuts a free dimension of an operand as Y is wanted, where that costs no communication and saves products.
void cut_ahead(SpmdBuilder& b, Split& operand, size_t dim, const Split& other, const Axes& wanted) {
  while (starts_with(wanted, operand.axes[dim]) && operand.axes[dim].size() < wanted.size()) {
    const std::string& axis = wanted[operand.axes[dim].size()];
    if (uses(operand, axis) || uses(other, axis)) return;
    cut(b, operand, dim, axis);
  }
}

// Adds partial sums over `axis` up: scattered into the dimension that is to be split by it next, if one is.
void add_up(SpmdBuilder& b, Split& y, const std::string& axis, const PartitionSpec& wanted) {
  for (size_t dim = 0; dim < 2; ++dim) {
    Axes next = y.axes[dim];
    next.push_back(axis);
    if (!starts_with(axes_of(wanted, dim), next)) continue;
    b.phase("scatter Y over " + axis);
    y.value = b.reduce_scatter(y.value, axis, dim);
    y.axes[dim] = next;
    return;
  }
  b.phase("add Y up over " + axis);
  y.value = b.all_reduce(y.value, axis);
}

void check_output(SpmdBuilder& b, const MatmulProblem& p, const PartitionSpec& out) {
  b.require(out.dims.size() <= 2, "out-spec needs at most 2 dimensions, got " + out.text());
  Axes seen;
  for (const Axes& dim : out.dims) {
    for (const std::string& axis : dim) {
      b.require(b.has_axis(axis), "out-spec needs axes of the mesh, got '" + axis + "'");
      b.require(std::ranges::count(seen, axis) == 0, "out-spec needs each axis once, got " + out.text());
      seen.push_back(axis);
    }
  }
  b.require_divisible("m", p.m, axes_of(out, 0));
  b.require_divisible("n", p.n, axes_of(out, 1));
}

}  // namespace

Result<Program> sharded_matmul(SpmdBuilder& b, const MatmulProblem& p, const PartitionSpec& lhs,
                               const PartitionSpec& rhs, const std::optional<PartitionSpec>& out) {
  Split x{"X", b.input(ArrayRole::lhs, {p.m, p.k}, lhs), {axes_of(lhs, 0), axes_of(lhs, 1)}};
  Split w{"W", b.input(ArrayRole::rhs, {p.k, p.n}, rhs), {axes_of(rhs, 0), axes_of(rhs, 1)}};
  if (out) check_output(b, p, *out);

  const Axes contraction = common_prefix(x.axes[1], w.axes[0]);
  gather_down_to(b, x, 1, contraction);
  gather_down_to(b, w, 0, contraction);

  if (std::ranges::find_first_of(x.axes[0], w.axes[1]) != x.axes[0].end()) {
    const bool keeps_x = out && starts_with(axes_of(*out, 0), x.axes[0]);
    const bool keeps_w = out && starts_with(axes_of(*out, 1), w.axes[1]);
    const bool gather_x = keeps_x == keeps_w ? p.m <= p.n : keeps_w;
    Split& gathered = gather_x ? x : w;
    const size_t dim = gather_x ? 0 : 1;
    const Axes& axes = gathered.axes[dim];
    const auto first_shared = std::ranges::find_first_of(axes, gather_x ? w.axes[1] : x.axes[0]);
    gather_down_to(b, gathered, dim, Axes(axes.begin(), first_shared));
  }
  if (out) {
    cut_ahead(b, x, 0, w, axes_of(*out, 0));
    cut_ahead(b, w, 1, x, axes_of(*out, 1));
  }

  b.phase(contraction.empty() ? "Y = X W" : "partial Y = X W");
  Split y{"Y", matmul(x.value, w.value), {x.axes[0], w.axes[1]}};
  const PartitionSpec wanted = out.value_or(spec_of(y));
  for (const std::string& axis : contraction) add_up(b, y, axis, wanted);

  y.value = b.convert(y.value, p.dtype);
  for (size_t dim = 0; dim < 2; ++dim)
    gather_down_to(b, y, dim, common_prefix(y.axes[dim], axes_of(wanted, dim)));
  for (size_t dim = 0; dim < 2; ++dim) {
    const Axes target = axes_of(wanted, dim);
    while (y.axes[dim].size() < target.size()) cut(b, y, dim, target[y.axes[dim].size()]);
  }
  return b.finish(y.value, ArrayRole::product, {p.m, p.n}, wanted);
}

}  // namespace shardscope
