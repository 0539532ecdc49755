// SPDX-License-Identifier: Apache-2.0
// Several products in one program, each written with the functions of the single strategies.
#include "engine/strategies/dataflows.h"
#include "engine/strategies/families.h"

namespace shardscope::inline strategy {
namespace {

// One layer's training step with the loss |Y|²/2, so that dY = Y: forward, data gradient, weight gradient.
// Each takes the arrays where the one before left them, as they are stored; Y never moves.
template <Product os, Product ls, Product rs>
Result<Program> training_step(SpmdBuilder& b, const StrategyOptions& options) {
  auto X = b.lhs("mk", P("row", "col"));
  auto W = b.rhs("kn", P("row", "col"));
  b.define("Y[m,n] = X[m,k] W[k,n]");
  b.define("dX[m,k] = Y[m,n] W[k,n]");
  b.define("dW[k,n] = X[m,k] Y[m,n]");

  auto Y = b.stored(os(b, options, X, W, {}));
  b.makes("dX");
  auto dX = ls(b, options, Y, W, {"m", "n", "k"});
  b.result("dX", dX, "mk", P("row", "col"));
  b.makes("dW");
  auto dW = rs(b, options, X, Y, {"k", "m", "n"});
  b.result("dW", dW, "kn", P("row", "col"));
  return b.finish(Y, P("row", "col"));
}

// H P(row,col) to P(col,row). On a square mesh device (i,j) has what (j,i) needs. Otherwise whole rows of H
// are gathered, pieces of columns exchanged for whole columns, and each device keeps its part of the rows.
Value reshard_swapped(SpmdBuilder& b, Value H) {
  const int64_t R = b.size("row"), C = b.size("col");
  if (R == C)
    return b.permute(H, [](const MeshPlace& at) { return at.at("row", at["col"]).at("col", at["row"]); });
  H = b.all_gather(H, "col", 1);
  const int64_t rows = H.dim(0), columns = H.dim(1) / R;
  H = b.all_to_all(b.reshape(H, {rows, R, columns}), "row", 1);
  std::vector<Value> parts;
  for (int64_t i = 0; i < R; ++i) parts.push_back(b.reshape(b.slice(H, 1, i, 1), {rows, columns}));
  H = b.concatenate(parts, 0);
  return b.dynamic_slice(H, 0, b.axis_index("col") * (rows * R / C), rows * R / C);
}

// Two layers that disagree: the first splits tokens over row, the second over col.
Result<Program> chain_reshard(SpmdBuilder& b, const StrategyOptions& options) {
  auto X = b.lhs("mk", P("row", "col"));
  auto W = b.rhs("kn", P("row", "col"));
  auto W2 = b.operand("W2", "nk", P("col", "row"));
  b.require_divisible("m", b.problem().m, {"col"});
  b.require_divisible("n", b.problem().n, {"row"});
  b.define("H[m,n] = X[m,k] W[k,n]");
  b.define("Y[m,j] = H[m,n] W2[n,j]");

  b.makes("H");
  auto H = b.stored(collective_os(b, options, X, W, {}));
  const std::string row = b.axis("row"), col = b.axis("col");
  b.phase("reshard H: P(" + row + "," + col + ") → P(" + col + "," + row + ")");
  H = reshard_swapped(b, H);
  b.phase("");
  b.makes("Y");
  auto Y = collective_os(b, options, H, W2, {"m", "n", "k", "col", "row"});
  return b.finish(Y, "mk", P("col", "row"));
}

}  // namespace

std::vector<Strategy> chain_strategies() {
  const std::vector<std::string_view> roles{"row", "col"};
  const Family gspmd{"GSPMD, Xu et al. 2021", roles};
  const Family whole{"GSPMD, Xu et al. 2021; the order of dataflows: MeshSlice, ISCA 2025", roles};
  const Family wang{"Wang et al., ASPLOS 2023; the order of dataflows: MeshSlice, ISCA 2025", roles};
  const Family sliced{"MeshSlice, ISCA 2025", roles, {"slices", "block", "prefetch"}};
  return {
      whole.example({"chain.collective"},
                    "Training step Y = X W, dX = Y Wt, dW = Xt Y by whole collectives: OS, LS, RS",
                    training_step<collective_os, collective_ls, collective_rs>),
      wang.example({"chain.wang"}, "Training step with one operand of each product travelling both ways",
                   training_step<wang_os, wang_ls, wang_rs>),
      sliced.example({"chain.meshslice"}, "Training step in slices: OS, LS, RS without a transpose",
                     training_step<meshslice_os, meshslice_ls, meshslice_rs>),
      gspmd.example({"chain.reshard"},
                    "Two layers that split their arrays differently: H = X W is resharded in between",
                    chain_reshard),
  };
}

}  // namespace shardscope::inline strategy
