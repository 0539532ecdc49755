// SPDX-License-Identifier: Apache-2.0
// R. A. van de Geijn, J. Watts, "SUMMA: scalable universal matrix multiplication algorithm", 1997: the
// contraction (or a dimension of Y) goes by in panels of b; whoever owns a panel broadcasts it. Room for two
// panels of each kind: those of step s take the place of those of step s-2.
#include <algorithm>
#include <numeric>

#include "engine/strategies/families.h"
#include "engine/strategies/like_steps.h"

namespace shardscope::inline strategy {
namespace {

constexpr int64_t kWidestPanel = 512;

// A panel must lie on one device, so b divides both local extents. What the user leaves open is the widest
// legal b <= 512.
int64_t panel_width(SpmdBuilder& b, const StrategyOptions& options, const std::string& size, int64_t whole) {
  const int64_t of_col = whole / b.size("col"), of_row = whole / b.size("row");
  const int64_t extent = std::gcd(of_col, of_row);
  int64_t width = options.block.value_or(std::min(extent, kWidestPanel));
  b.limit(options.block.value_or(1) >= 1, "block must be positive, got " + std::to_string(width));
  if (!b.ok()) return 1;
  while (!options.block && extent % width != 0) --width;
  const std::string cols = size + "/" + b.axis_count("col"), rows = size + "/" + b.axis_count("row");
  b.require(extent % width == 0, "block must divide " + cols + " and " + rows +
                                     ", got block=" + std::to_string(width) + ", " + cols + "=" +
                                     std::to_string(of_col) + ", " + rows + "=" + std::to_string(of_row));
  b.choice("block", std::to_string(width));
  return b.ok() ? width : 1;
}

// Where a panel lies in an array that is cut in parts, one after the other: in which, and from where on.
struct Panel {
  int64_t owner = 0;
  Index start = 0;
};

// Goes through panels of a dimension that two arrays are cut along, in parts of `lhs` and `rhs`. Panels of
// the same owners are alike.
class Panels {
 public:
  // Writes panel `step`, of a loop its first, from what the panels before left in `values`: as many for all.
  using Write = std::function<void(int step, Panel lhs, Panel rhs, std::vector<Value>& values)>;
  Panels(SpmdBuilder& b, int64_t whole, int64_t width, int64_t lhs, int64_t rhs)
      : width_(width), parts_{lhs, rhs}, steps_(b, whole / width, kFirst, [this](int64_t step) {
          return with_one_owner(step);
        }) {}
  Panels(const Panels&) = delete;  // its steps ask it
  Panels& operator=(const Panels&) = delete;

  const LikeSteps& steps() const { return steps_; }
  void each(std::vector<Value>& values, const Write& write) const {
    steps_.each(values, [&](int s, Index round, std::vector<Value>& in) {
      write(s, at(s, parts_[0], round), at(s, parts_[1], round), in);
    });
  }

 private:
  static constexpr int64_t kFirst = 2;  // those before it find nothing of panels before them

  Panel at(int64_t step, int64_t part, Index round) const {
    return {step * width_ / part, round * width_ + step * width_ % part};
  }
  // How many panels from this one on have the same owners.
  int64_t with_one_owner(int64_t step) const {
    int64_t like = steps_.count() - step;
    for (const int64_t part : parts_) like = std::min(like, (part - step * width_ % part) / width_);
    return like;
  }

  int64_t width_;
  int64_t parts_[2];
  LikeSteps steps_;
};

// Of panels of Y along `dim` that only their owners have summed up each device takes those of its own
// coordinate.
Value own_panels(SpmdBuilder& b, const Pieces& panels, Value all, size_t dim, std::string_view role) {
  b.end_steps();
  if (!b.ok()) return {};
  b.phase("own panels of Y");
  all = panels.all(all);
  const int64_t part = all.dim(dim) / b.size(role);
  return b.dynamic_slice(all, dim, part * b.axis_index(role), part);
}

// Y stays: columns k0.. of X go along the rows of devices, rows k0.. of W along the columns.
Result<Program> summa_os(SpmdBuilder& b, const StrategyOptions& options) {
  const Value X = b.lhs("mk", P("row", "col"));
  const Value W = b.rhs("kn", P("row", "col"));
  const int64_t width = panel_width(b, options, "k", b.problem().k);

  std::vector<Value> values{X, W, {}};
  const auto panel = [&](int step, Panel of_X, Panel of_W, std::vector<Value>& in) {
    Value& Y = in[2];
    b.step(step, Y);
    b.phase("panel of X from column " + std::to_string(of_X.owner));
    auto X_panel = b.broadcast(b.dynamic_slice(in[0], 1, of_X.start, width), "col", of_X.owner);
    b.phase("panel of W from row " + std::to_string(of_W.owner));
    auto W_panel = b.broadcast(b.dynamic_slice(in[1], 0, of_W.start, width), "row", of_W.owner);
    b.phase("Y += panels of X W");
    Y = Y + matmul(X_panel, W_panel);
  };
  Panels(b, b.problem().k, width, X.dim(1), W.dim(0)).each(values, panel);
  return b.finish(values[2], P("row", "col"));
}

// X stays, W is stored [n,k]: rows n0.. of W go along the columns of devices, columns n0.. of Y are summed up
// where they belong.
Result<Program> summa_ls(SpmdBuilder& b, const StrategyOptions& options) {
  const Value X = b.lhs("mk", P("row", "col"));
  const Value W = b.rhs("nk", P("row", "col"));
  b.require_divisible("n", b.problem().n, {"col"});
  const int64_t width = panel_width(b, options, "n", b.problem().n), nc = b.problem().n / b.size("col");

  const Panels panels(b, b.problem().n, width, W.dim(0), nc);
  Pieces sums(b, panels.steps(), 1, b.problem().n);
  std::vector<Value> values{X, W, {}, {}};
  panels.each(values, [&](int step, Panel of_W, Panel of_Y, std::vector<Value>& in) {
    Value& part = in[2];
    b.step(step, part);
    b.phase("panel of W from row " + std::to_string(of_W.owner));
    auto W_panel = b.broadcast(b.dynamic_slice(in[1], 0, of_W.start, width), "row", of_W.owner);
    b.phase("partial panel of Y = X Wt");
    part = einsum("mk,nk->mn", in[0], W_panel);
    b.phase("sum of Y to column " + std::to_string(of_Y.owner));
    sums.add(b.reduce(part, "col", of_Y.owner), of_Y.start + of_Y.owner * nc, in[3]);
  });
  return b.finish(own_panels(b, sums, values[3], 1, "col"), P("row", "col"));
}

// W stays, X is stored [k,m]: columns m0.. of X go along the rows of devices, rows m0.. of Y are summed up
// where they belong.
Result<Program> summa_rs(SpmdBuilder& b, const StrategyOptions& options) {
  const Value X = b.lhs("km", P("row", "col"));
  const Value W = b.rhs("kn", P("row", "col"));
  b.require_divisible("m", b.problem().m, {"row"});
  const int64_t width = panel_width(b, options, "m", b.problem().m), mr = b.problem().m / b.size("row");

  const Panels panels(b, b.problem().m, width, X.dim(1), mr);
  Pieces sums(b, panels.steps(), 0, b.problem().m);
  std::vector<Value> values{X, W, {}, {}};
  panels.each(values, [&](int step, Panel of_X, Panel of_Y, std::vector<Value>& in) {
    Value& part = in[2];
    b.step(step, part);
    b.phase("panel of X from column " + std::to_string(of_X.owner));
    auto X_panel = b.broadcast(b.dynamic_slice(in[0], 1, of_X.start, width), "col", of_X.owner);
    b.phase("partial panel of Y = Xt W");
    part = einsum("km,kn->mn", X_panel, in[1]);
    b.phase("sum of Y to row " + std::to_string(of_Y.owner));
    sums.add(b.reduce(part, "row", of_Y.owner), of_Y.start + of_Y.owner * mr, in[3]);
  });
  return b.finish(own_panels(b, sums, values[3], 0, "row"), P("row", "col"));
}

}  // namespace

std::vector<Strategy> summa_strategies() {
  const Family f{"SUMMA, van de Geijn & Watts 1997", {"row", "col"}, {"block"}};
  return {
      f.matmul({"summa.os", "summa"}, "Broadcast panels of X and W, multiply; Y stays", summa_os),
      f.matmul({"summa.ls", "summa.is"}, "Broadcast panels of W, sum panels of Y; X stays", summa_ls),
      f.matmul({"summa.rs", "summa.ws"}, "Broadcast panels of X, sum panels of Y; W stays", summa_rs),
  };
}

}  // namespace shardscope::inline strategy
