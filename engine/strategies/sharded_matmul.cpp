// SPDX-License-Identifier: Apache-2.0
// After "How to Scale Your Model" (Austin et al. 2025), chapter 3: a gather undoes a split, a reduce-scatter
// or all-reduce settles partial sums, and keeping one's own part of what several devices hold is free.
#include "engine/strategies/sharded_matmul.h"

#include <algorithm>
#include <array>

#include "engine/base/check.h"

namespace shardscope {
namespace {

using Kind = ProductStep::Kind;
using Targets = std::array<const SplitAxes*, 2>;

// An array on its way: which axes split each of its two dimensions, and the bytes of a device's block.
struct Split {
  char name;
  SplitAxes axes[2];
  double bytes;
};

bool contains(const SplitAxes& axes, const std::string& axis) {
  return std::ranges::count(axes, axis) > 0;
}

class Planner {
 public:
  explicit Planner(const SpmdBuilder& builder) : builder_(builder) {}

  // Puts `array` into blocks of another split.
  void reshard(Split& array, const SplitAxes& first, const SplitAxes& second) {
    const Targets targets{&first, &second};
    while (array.axes[0] != first || array.axes[1] != second) {
      if (cut_one(array, 0, first) || cut_one(array, 1, second)) continue;
      if (exchange_one(array, 0, targets) || exchange_one(array, 1, targets)) continue;
      gather(array, best_to_gather(array, targets));
    }
  }

  void multiply() { steps.push_back({Kind::multiply, 'Y', 0, "", 0}); }

  // Settles the partial sums over each of `axes`.
  void settle(Split& y, SplitAxes axes, const PartitionSpec& sums) {
    for (bool scattered = true; scattered;) {  // a scatter may be what another one waits for
      scattered = false;
      for (size_t i = 0; i < axes.size() && !scattered; ++i) {
        for (size_t dim = 0; dim < 2 && !scattered; ++dim) {
          SplitAxes next = y.axes[dim];
          next.push_back(axes[i]);
          if (!starts_with(axes_of(sums, dim), next)) continue;
          const double part = y.bytes / size(axes[i]);
          step(Kind::scatter, y, dim, axes[i], y.bytes - part);
          y.bytes = part;
          y.axes[dim] = next;
          axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i));
          scattered = true;
        }
      }
    }
    for (const std::string& axis : axes) {
      step(Kind::add_up, y, 0, axis, 2 * (y.bytes - y.bytes / size(axis)));
    }
  }

  std::vector<ProductStep> steps;

 private:
  void step(Kind kind, const Split& array, size_t dim, const std::string& axis, double bytes) {
    if (size(axis) > 1) steps.push_back({kind, array.name, dim, axis, bytes});
  }

  double size(const std::string& axis) const { return static_cast<double>(builder_.size(axis)); }

  bool cut_one(Split& array, size_t dim, const SplitAxes& target) {
    if (!starts_with(target, array.axes[dim]) || target.size() == array.axes[dim].size()) return false;
    const std::string& axis = target[array.axes[dim].size()];
    if (contains(array.axes[0], axis) || contains(array.axes[1], axis)) return false;
    step(Kind::cut, array, dim, axis, 0);
    array.bytes /= size(axis);
    array.axes[dim].push_back(axis);
    return true;
  }

  // Moves the last axis of the other dimension to `dim`, which is to be split by it next.
  bool exchange_one(Split& array, size_t dim, const Targets& targets) {
    SplitAxes &to = array.axes[dim], &from = array.axes[1 - dim];
    if (starts_with(*targets[1 - dim], from) || !starts_with(*targets[dim], to)) return false;
    if (to.size() == targets[dim]->size() || (*targets[dim])[to.size()] != from.back()) return false;
    step(Kind::exchange, array, dim, from.back(), array.bytes - array.bytes / size(from.back()));
    to.push_back(from.back());
    from.pop_back();
    return true;
  }

  // Of the dimensions that are split otherwise than wanted, the one behind whose gather waits an all-to-all,
  // or a cut that makes the other gather smaller.
  static size_t best_to_gather(const Split& array, const Targets& targets) {
    const auto in_the_way = [&](size_t dim) { return !starts_with(*targets[dim], array.axes[dim]); };
    if (!in_the_way(0) || !in_the_way(1)) return in_the_way(0) ? 0 : 1;
    const auto next_wanted = [&](size_t dim) {
      const size_t done = common_prefix(*targets[dim], array.axes[dim]).size();
      return done < targets[dim]->size() ? (*targets[dim])[done] : "";
    };
    for (const size_t dim : {0, 1}) {
      if (next_wanted(dim) == array.axes[1 - dim].back()) return dim;
    }
    return next_wanted(0).empty() && !next_wanted(1).empty() ? 1 : 0;
  }

  void gather(Split& array, size_t dim) {
    CHECK(!array.axes[dim].empty(), "the target splits by an axis twice");
    const std::string axis = array.axes[dim].back();
    step(Kind::gather, array, dim, axis, (size(axis) - 1) * array.bytes);
    array.bytes *= size(axis);
    array.axes[dim].pop_back();
  }

  const SpmdBuilder& builder_;
};

double block_bytes(const SpmdBuilder& builder, int64_t rows, int64_t cols, ElementType type,
                   const SplitAxes& split_rows, const SplitAxes& split_cols) {
  double bytes = static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(bits(type)) / 8;
  for (const SplitAxes* axes : {&split_rows, &split_cols}) {
    for (const std::string& axis : *axes) bytes /= static_cast<double>(builder.size(axis));
  }
  return bytes;
}

}  // namespace

bool starts_with(const SplitAxes& axes, const SplitAxes& prefix) {
  return prefix.size() <= axes.size() && std::equal(prefix.begin(), prefix.end(), axes.begin());
}

SplitAxes common_prefix(const SplitAxes& a, const SplitAxes& b) {
  return {a.begin(), std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first};
}

SplitAxes axes_of(const PartitionSpec& spec, size_t dim) {
  return dim < spec.dims.size() ? spec.dims[dim] : SplitAxes();
}

std::string ProductStep::text() const {
  const std::string name(1, array);
  switch (kind) {
    case Kind::gather:
      return "gather " + name + " over " + axis;
    case Kind::exchange: {
      const char* dims = array == 'X' ? "mk" : array == 'W' ? "kn" : "mn";
      return "all-to-all " + name + " over " + axis + " from " + dims[1 - dim] + " to " + dims[dim];
    }
    case Kind::cut:
      return "own part of " + name + " on " + axis;
    case Kind::multiply:
      return "Y = X W";
    case Kind::scatter:
      return "scatter " + name + " over " + axis;
    case Kind::add_up:
      return "add " + name + " up over " + axis;
  }
  return "";
}

PartitionSpec on_axes(PartitionSpec spec, const std::map<std::string, std::string>& roles) {
  for (SplitAxes& dim : spec.dims) {
    for (std::string& axis : dim) axis = roles.at(axis);
  }
  return spec;
}

ShardedProduct::ShardedProduct(SpmdBuilder& builder, PartitionSpec lhs, PartitionSpec rhs)
    : builder_(builder), lhs_(std::move(lhs)), rhs_(std::move(rhs)) {
  X_ = builder.lhs("mk", lhs_);
  W_ = builder.rhs("kn", rhs_);
  lhs_.dims.resize(2);
  rhs_.dims.resize(2);
}

void ShardedProduct::require_output(const PartitionSpec& out) {
  SpmdBuilder& b = builder_;
  b.limit(out.dims.size() <= 2, "out-spec needs at most 2 dimensions, got " + out.text());
  SplitAxes seen;
  for (const SplitAxes& dim : out.dims) {
    for (const std::string& axis : dim) {
      b.limit(b.has_axis(axis), "out-spec needs axes of the mesh, got '" + axis + "'");
      b.limit(!contains(seen, axis), "out-spec needs each axis once, got " + out.text());
      seen.push_back(axis);
    }
  }
  b.require_divisible("m", b.problem().m, axes_of(out, 0));
  b.require_divisible("n", b.problem().n, axes_of(out, 1));
}

std::vector<ProductStep> ShardedProduct::plan(const ProductLayout& layout, const PartitionSpec& out) const {
  const MatmulProblem& p = builder_.problem();
  Split x{'X',
          {lhs_.dims[0], lhs_.dims[1]},
          block_bytes(builder_, p.m, p.k, p.dtype, lhs_.dims[0], lhs_.dims[1])};
  Split w{'W',
          {rhs_.dims[0], rhs_.dims[1]},
          block_bytes(builder_, p.k, p.n, p.dtype, rhs_.dims[0], rhs_.dims[1])};
  Split y{'Y',
          {layout.rows, layout.cols},
          block_bytes(builder_, p.m, p.n, accumulation_type(p), layout.rows, layout.cols)};
  Planner planner(builder_);
  planner.reshard(x, layout.rows, layout.contraction);
  planner.reshard(w, layout.contraction, layout.cols);
  planner.multiply();
  planner.settle(y, layout.contraction, layout.sums);
  y.bytes = block_bytes(builder_, p.m, p.n, result_type(p.dtype), y.axes[0], y.axes[1]);  // rounded
  planner.reshard(y, axes_of(out, 0), axes_of(out, 1));
  return std::move(planner.steps);
}

Result<Program> ShardedProduct::write(const std::vector<ProductStep>& plan, const PartitionSpec& out) {
  SpmdBuilder& b = builder_;
  const bool sums = std::ranges::any_of(
      plan, [](const ProductStep& s) { return s.kind == Kind::scatter || s.kind == Kind::add_up; });
  Value Y;
  for (const ProductStep& step : plan) {
    b.phase(step.kind == Kind::multiply && sums ? "partial " + step.text() : step.text());
    Value& v = step.array == 'X' ? X_ : step.array == 'W' ? W_ : Y;
    switch (step.kind) {
      case Kind::gather:
        v = b.all_gather(b.stored(v), step.axis, step.dim);
        break;
      case Kind::exchange: {
        v = b.all_to_all(b.stored(v), step.axis, step.dim);
        const int64_t n = b.size(step.axis), part = v.dim(step.dim) / n;
        std::vector<Value> parts;  // part i came from device i
        for (int64_t i = 0; i < n; ++i) parts.push_back(b.slice(v, step.dim, i * part, part));
        v = b.concatenate(parts, 1 - step.dim);
        break;
      }
      case Kind::cut: {
        const int64_t part = v.dim(step.dim) / b.size(step.axis);
        v = b.dynamic_slice(v, step.dim, b.axis_index(step.axis) * part, part);
        break;
      }
      case Kind::multiply:
        v = matmul(X_, W_);
        break;
      case Kind::scatter:
        v = b.reduce_scatter(v, step.axis, step.dim);
        break;
      case Kind::add_up:
        v = b.all_reduce(v, step.axis);
        break;
    }
  }
  return b.finish(Y, out);
}

}  // namespace shardscope
