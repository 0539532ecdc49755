// SPDX-License-Identifier: Apache-2.0
// After "How to Scale Your Model" (Austin et al. 2025), chapter 3: a gather undoes a split, a reduce-scatter
// or all-reduce settles partial sums, and keeping one's own part of what several devices hold is free.
#include "engine/strategies/sharded_matmul.h"

#include <algorithm>

namespace shardscope::inline strategy {
namespace {

using Kind = ProductStep::Kind;

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
    for (const AxisMove& move : plan_axis_moves({{array.axes[0], array.axes[1]}}, {{first, second}})) {
      const double n = size(move.axis), bytes = array.bytes;
      if (move.kind == AxisMove::Kind::cut) {
        step(Kind::cut, array, move.dim, move.axis, 0);
        array.bytes /= n;
      } else if (move.kind == AxisMove::Kind::exchange) {
        step(Kind::exchange, array, move.dim, move.axis, bytes - bytes / n);
      } else {
        step(Kind::gather, array, move.dim, move.axis, (n - 1) * bytes);
        array.bytes *= n;
      }
    }
    array.axes[0] = first;
    array.axes[1] = second;
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

}  // namespace shardscope::inline strategy
