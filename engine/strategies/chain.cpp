// SPDX-License-Identifier: Apache-2.0
// Several products in one program, each written with the functions of the single strategies.
#include "engine/strategies/dataflows.h"
#include "engine/strategies/families.h"

namespace shardscope {
namespace {

using Product = std::function<Value(SpmdBuilder&, Value X, Value W, const ProductNames&)>;

// The three products of one family, by what stays.
struct Family {
  std::string_view id;
  Product os, ls, rs;
};

// One layer's training step with the loss |Y|²/2, so that dY = Y: forward, data gradient, weight gradient.
// Each takes the arrays where the one before left them, as they are stored; Y never moves.
Result<Program> training_step(const Family& family, const Mesh& mesh, const MatmulProblem& p,
                              const StrategyOptions& options) {
  TRY(auto roles, assign_roles(family.id, {"row", "col"}, mesh, options));
  SpmdBuilder b(std::string(family.id), mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("row", "col"));
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", "col"));
  b.define("Y[m,n] = X[m,k] W[k,n]");
  b.define("dX[m,k] = Y[m,n] W[k,n]");
  b.define("dW[k,n] = X[m,k] Y[m,n]");

  auto Y = b.stored(family.os(b, X, W, {}));
  auto dX = family.ls(b, Y, W, {"Y", "W", "dX", "m", "n", "k"});
  b.result("dX", dX, {p.m, p.k}, P("row", "col"));
  auto dW = family.rs(b, X, Y, {"X", "Y", "dW", "k", "m", "n"});
  b.result("dW", dW, {p.k, p.n}, P("row", "col"));
  return b.finish(Y, ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

Result<Program> chain_collective(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  return training_step({"chain.collective", collective_os, collective_ls, collective_rs}, mesh, p, options);
}

Result<Program> chain_wang(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  return training_step({"chain.wang", wang_os, wang_ls, wang_rs}, mesh, p, options);
}

Result<Program> chain_meshslice(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  const auto sliced = [&options](auto product) -> Product {
    return [product, &options](SpmdBuilder& b, Value X, Value W, const ProductNames& names) {
      return product(b, options, X, W, names);
    };
  };
  return training_step({"chain.meshslice", sliced(meshslice_os), sliced(meshslice_ls), sliced(meshslice_rs)},
                       mesh, p, options);
}

// H P(row,col) to P(col,row). On a square mesh device (i,j) has what (j,i) needs. Otherwise whole rows of H
// are gathered, pieces of columns exchanged for whole columns, and each device keeps its part of the rows.
Value reshard_swapped(SpmdBuilder& b, Value H) {
  const std::string row = b.axis("row"), col = b.axis("col");
  b.phase("reshard H: P(" + row + "," + col + ") → P(" + col + "," + row + ")");
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
Result<Program> chain_reshard(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("chain.reshard", {"row", "col"}, mesh, options));
  SpmdBuilder b("chain.reshard", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("row", "col"));
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", "col"));
  auto W2 = b.operand("W2", {p.n, p.k}, P("col", "row"));
  b.require_divisible("m", p.m, {"col"});
  b.require_divisible("n", p.n, {"row"});
  b.define("H[m,n] = X[m,k] W[k,n]");
  b.define("Y[m,j] = H[m,n] W2[n,j]");

  auto H = b.stored(collective_os(b, X, W, {"X", "W", "H"}));
  H = reshard_swapped(b, H);
  ProductNames second{"H", "W2", "Y", "m", "n", "k"};
  std::swap(second.row, second.col);
  auto Y = collective_os(b, H, W2, second);
  return b.finish(Y, ArrayRole::product, {p.m, p.k}, P("col", "row"));
}

}  // namespace

std::vector<Strategy> chain_strategies() {
  return {
      {"chain.collective",
       {},
       StrategyKind::example,
       "Training step Y = X W, dX = Y Wt, dW = Xt Y by whole collectives: OS, LS, RS",
       "GSPMD, Xu et al. 2021; the order of dataflows: MeshSlice, ISCA 2025",
       {"rows divide m", "cols divide k", "rows divide k", "cols divide n"},
       {"axes"},
       {"row", "col"},
       chain_collective},
      {"chain.wang",
       {},
       StrategyKind::example,
       "Training step with one operand of each product travelling both ways",
       "Wang et al., ASPLOS 2023; the order of dataflows: MeshSlice, ISCA 2025",
       {"rows divide m", "cols divide k", "rows divide k", "cols divide n", "k/cols even",
        "k/rows even where dW travels"},
       {"axes"},
       {"row", "col"},
       chain_wang},
      {"chain.meshslice",
       {},
       StrategyKind::example,
       "Training step in slices: OS, LS, RS without a transpose",
       "MeshSlice, ISCA 2025",
       {"rows divide m", "cols divide k", "rows divide k", "cols divide n",
        "slices*block divides k/cols and k/rows"},
       {"axes", "slices", "block"},
       {"row", "col"},
       chain_meshslice},
      {"chain.reshard",
       {},
       StrategyKind::example,
       "Two layers that split their arrays differently: H = X W is resharded in between",
       "GSPMD, Xu et al. 2021",
       {"rows and cols divide m, k and n", "second layer [n,k]"},
       {"axes"},
       {"row", "col"},
       chain_reshard},
  };
}

}  // namespace shardscope
