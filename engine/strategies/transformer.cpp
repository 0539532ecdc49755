// SPDX-License-Identifier: Apache-2.0
// The products of one transformer block (A. Vaswani et al., "Attention is all you need", 2017) in MeshSlice's
// order of dataflows, ISCA 2025: OS, LS, OS, LS, all arrays split P(row,col).
#include "engine/strategies/dataflows.h"
#include "engine/strategies/families.h"

namespace shardscope {
namespace {

// Width k, MLP width n. What is no product with a weight is left out: residual sums, norms, and attention, in
// whose place every token attends to itself alone, so that its result is V.
Result<Program> transformer_block(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("transformer.block", {"row", "col"}, mesh, options));
  SpmdBuilder b("transformer.block", mesh, p, roles);
  const PartitionSpec split = P("row", "col");
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, split);
  auto Wq = b.operand("Wq", {p.k, p.k}, split);
  auto Wk = b.operand("Wk", {p.k, p.k}, split);
  auto Wv = b.operand("Wv", {p.k, p.k}, split);
  auto Wo = b.operand("Wo", {p.k, p.k}, split);
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, split);
  auto W2 = b.operand("W2", {p.k, p.n}, split);
  b.define("Q[m,j] = X[m,k] Wq[k,j]");
  b.define("K[m,j] = X[m,k] Wk[k,j]");
  b.define("V[m,j] = X[m,k] Wv[k,j]");
  b.define("A[m,i] = V[m,j] Wo[i,j]");
  b.define("H[m,n] = relu(A[m,i] W[i,n])");
  b.define("Y[m,h] = H[m,n] W2[h,n]");

  // The three stand side by side on each device, so that one product makes the heads of one device.
  auto QKV =
      b.stored(collective_os(b, X, b.concatenate({Wq, Wk, Wv}, 1), {"X", "Wqkv", "QKV", "m", "k", "3k"}));
  const int64_t width = QKV.dim(1) / 3;
  auto Q = b.slice(QKV, 1, 0, width), K = b.slice(QKV, 1, width, width),
       V = b.slice(QKV, 1, 2 * width, width);
  auto A = b.stored(collective_ls(b, V, Wo, {"V", "Wo", "A", "m", "k", "k"}));
  auto H = b.stored(b.relu(collective_os(b, A, W, {"A", "W", "H", "m", "k", "n"})));
  auto Y = collective_ls(b, H, W2, {"H", "W2", "Y", "m", "n", "k"});
  for (const auto& [symbol, value] : {std::pair{"Q", Q}, std::pair{"K", K}, std::pair{"V", V}})
    b.result(symbol, value, {p.m, p.k}, split);
  return b.finish(Y, ArrayRole::product, {p.m, p.k}, split);
}

}  // namespace

std::vector<Strategy> transformer_strategies() {
  return {
      {"transformer.block",
       {},
       StrategyKind::example,
       "Products of a transformer block: qkv, output, up, down; attention itself is left out",
       "Vaswani et al. 2017; the order of dataflows: MeshSlice, ISCA 2025",
       {"rows divide m", "rows and cols divide k, the width", "cols divide n, the MLP's width",
        "layers k to 3k, k to k, k to n, n to k"},
       {"axes"},
       {"row", "col"},
       transformer_block},
  };
}

}  // namespace shardscope
