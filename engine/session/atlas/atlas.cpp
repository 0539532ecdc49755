// SPDX-License-Identifier: Apache-2.0
#include "engine/session/atlas/atlas.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <mutex>
#include <utility>

#include "engine/base/element_type.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/partition/entry/route_program.h"
#include "engine/session/atlas/best_products.h"
#include "engine/session/atlas/partitioner_ways.h"

namespace shardscope::inline session {
namespace {

constexpr size_t kMostAtlasAxes = 3;                 // 19683 triples
constexpr int64_t kMostElements = int64_t{1} << 50;  // of an array, as modules have them

Result<void> check_question(const AtlasQuestion& q) {
  if (!(is_floating(q.type) || is_integer(q.type) || is_complex(q.type)))
    return invalid(fmt::format("arrays of {} have no product", name(q.type)));
  for (const auto& [rows, columns] : {std::pair(q.m, q.k), std::pair(q.k, q.n), std::pair(q.m, q.n)}) {
    const auto elements = checked_multiply(rows, columns);
    if (!elements || *elements > kMostElements)
      return invalid(fmt::format("an array of {} by {} has too many elements", rows, columns));
  }
  return {};
}

// As MLIR writes it: "i8", "ui8", "complex<f32>".
std::string mlir_name(ElementType type) {
  const std::string text = name(type);
  if (is_complex(type)) return fmt::format("complex<{}>", name(real_type(type)));
  if (!is_integer(type)) return text;
  return (text.starts_with('u') ? "ui" : "i") + text.substr(1);
}

std::string shardy_dims(const AxisSplit& split, const Mesh& mesh) {
  std::vector<std::string> dims;
  for (const AxisParts& parts : split.dims) {
    std::vector<std::string> axes;
    for (const AxisPart& part : parts) axes.push_back("\"" + mesh.axes()[part.axis].name + "\"");
    dims.push_back("{" + join(axes, ", ") + "}");
  }
  return "[" + join(dims, ", ") + "]";
}

class AtlasMaker {
 public:
  AtlasMaker(const AtlasQuestion& question, const BestProducts& best, Atlas& atlas, std::stop_token stop)
      : q_(question), best_(best), atlas_(atlas), stop_(std::move(stop)) {}

  // All triples of one left operand.
  Result<void> fill(size_t lhs, const std::function<void()>& done) {
    const size_t n = atlas_.splits.size();
    ProgramCosts way(q_.mesh, q_.hardware);
    for (size_t rhs = 0; rhs < n; ++rhs) {
      for (size_t result = 0; result < n; ++result) {
        if (stop_.stop_requested()) return cancelled();
        AtlasTriple& triple = atlas_.triples[(lhs * n + rhs) * n + result];
        triple.lhs = lhs;
        triple.rhs = rhs;
        triple.result = result;
        TRY_VOID(fill(way, triple));
        done();
      }
    }
    return {};
  }

 private:
  Result<void> fill(ProgramCosts& way, AtlasTriple& triple) {
    const AxisSplit &lhs = atlas_.splits[triple.lhs], &rhs = atlas_.splits[triple.rhs],
                    &result = atlas_.splits[triple.result];
    triple.which = product_case(lhs, rhs);
    TRY(PartitionerWays ways, partitioner_ways(q_, lhs, rhs, result, way, stop_));
    triple.xla = std::move(ways.xla);
    triple.shardy = std::move(ways.shardy);
    const ProductArrays product{q_.mesh, q_.type, {lhs, rhs, result, {q_.m, q_.k, q_.n}}};
    bool first = true;
    for (const ProductSteps& steps : best_.ways(triple.lhs, triple.rhs, triple.result)) {
      TRY(const Partitioned stage, product_stage(product, steps));
      TRY(AtlasWay timed, way.of(*stage.program, stop_));
      if (!std::exchange(first, false) && timed.time >= triple.best.time) continue;
      triple.best = std::move(timed);
      triple.strategy = strategy_text(steps, q_.mesh);
    }
    // The search adds up steps that are timed alone: what others overlap may be faster still.
    if (triple.shardy.time < triple.best.time) {
      triple.best = triple.shardy;
      triple.strategy = "as Shardy: " + join(triple.shardy.collectives, ", ");
    }
    if (triple.xla.time < triple.best.time) {
      triple.best = triple.xla;
      triple.strategy = "as XLA: " + join(triple.xla.collectives, ", ");
    }
    return {};
  }

  const AtlasQuestion& q_;
  const BestProducts& best_;
  Atlas& atlas_;
  std::stop_token stop_;
};

}  // namespace

Result<std::vector<AxisSplit>> atlas_splits(const Mesh& mesh) {
  if (mesh.axes().size() > kMostAtlasAxes)
    return invalid(
        fmt::format("an atlas is of a mesh of up to three axes, {} has {}", mesh.text(), mesh.axes().size()));
  std::vector<AxisSplit> out{{std::vector<AxisParts>(2), {}}};
  for (size_t axis = 0; axis < mesh.axes().size(); ++axis) {
    const size_t count = out.size();
    for (size_t dim = 0; dim < 2; ++dim) {
      for (size_t k = 0; k < count; ++k) {
        AxisSplit next = out[k];
        next.dims[dim].push_back({axis, 1, mesh.axes()[axis].size});
        out.push_back(std::move(next));
      }
    }
  }
  std::ranges::sort(out);
  return out;
}

ProductCase product_case(const AxisSplit& lhs, const AxisSplit& rhs) {
  const AxisParts &m = lhs.dims[0], &k = lhs.dims[1], &k_too = rhs.dims[0], &n = rhs.dims[1];
  if (std::ranges::any_of(m, [&](const AxisPart& part) { return std::ranges::count(n, part) > 0; }))
    return ProductCase::shared_axis;
  if (k.empty() && k_too.empty()) return ProductCase::whole;
  return k == k_too ? ProductCase::both_sides : ProductCase::one_side;
}

std::string atlas_module(const AtlasQuestion& q, const AxisSplit& lhs, const AxisSplit& rhs,
                         const AxisSplit& result) {
  std::vector<std::string> axes;
  for (const MeshAxis& axis : q.mesh.axes()) axes.push_back(fmt::format("\"{}\"={}", axis.name, axis.size));
  const auto tensor = [&](int64_t rows, int64_t columns) {
    return fmt::format("tensor<{}x{}x{}>", rows, columns, mlir_name(q.type));
  };
  const auto said = [&](const AxisSplit& split) {
    return fmt::format("{{sdy.sharding = #sdy.sharding<@mesh, {}>}}", shardy_dims(split, q.mesh));
  };
  const std::string x = tensor(q.m, q.k), w = tensor(q.k, q.n), y = tensor(q.m, q.n);
  return fmt::format(
      "module @product {{\n  sdy.mesh @mesh = <[{}]>\n  func.func public @main(%lhs: {} {}, %rhs: {} {}) -> "
      "({} {}) {{\n    %0 = stablehlo.dot_general %lhs, %rhs, contracting_dims = [1] x [0] : ({}, {}) -> "
      "{}\n    return %0 : {}\n  }}\n}}\n",
      join(axes, ", "), x, said(lhs), w, said(rhs), y, said(result), x, w, y, y);
}

Result<Atlas> make_atlas(const AtlasQuestion& question, const Workers& workers, std::stop_token stop,
                         const std::function<void(double)>& progress) {
  TRY_VOID(check_question(question));
  Atlas out;
  TRY(out.splits, atlas_splits(question.mesh));
  const size_t n = out.splits.size();
  out.triples.resize(n * n * n);
  TRY(const BestProducts best, BestProducts::make(question, out.splits, stop));
  AtlasMaker maker(question, best, out, stop);
  std::atomic<size_t> done = 0;
  std::mutex telling;
  std::vector<Result<void>> made(n);
  workers.parallel_for(static_cast<int64_t>(n), [&](int64_t lhs) {
    made[static_cast<size_t>(lhs)] = maker.fill(static_cast<size_t>(lhs), [&] {
      const size_t now = ++done;
      if (!progress || now % n != 0) return;
      const std::scoped_lock lock(telling);
      progress(static_cast<double>(now) / static_cast<double>(out.triples.size()));
    });
  });
  for (const Result<void>& each : made)
    if (!each.ok()) return each.error();
  return out;
}

}  // namespace shardscope::inline session
