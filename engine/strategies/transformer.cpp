// SPDX-License-Identifier: Apache-2.0
// The products of one transformer block (A. Vaswani et al., "Attention is all you need", 2017) in MeshSlice's
// order of dataflows, ISCA 2025: OS, LS, OS, LS, all arrays split P(row,col).
#include "engine/strategies/dataflows.h"
#include "engine/strategies/families.h"

namespace shardscope::inline strategy {
namespace {

// Width k, MLP width n. What is no product with a weight is left out: residual sums, norms, and attention, in
// whose place every token attends to itself alone, so that its result is V.
Result<Program> transformer_block(SpmdBuilder& b, const StrategyOptions& options) {
  const PartitionSpec split = P("row", "col");
  auto X = b.lhs("mk", split);
  auto Wq = b.operand("Wq", "kk", split), Wk = b.operand("Wk", "kk", split);
  auto Wv = b.operand("Wv", "kk", split), Wo = b.operand("Wo", "kk", split);
  auto W = b.rhs("kn", split);
  auto W2 = b.operand("W2", "kn", split);
  b.define("Q[m,j] = X[m,k] Wq[k,j]");
  b.define("K[m,j] = X[m,k] Wk[k,j]");
  b.define("V[m,j] = X[m,k] Wv[k,j]");
  b.define("A[m,i] = V[m,j] Wo[i,j]");
  b.define("H[m,n] = relu(A[m,i] W[i,n])");
  b.define("Y[m,h] = H[m,n] W2[h,n]");

  // The three stand side by side on each device, so that one product makes the heads of one device.
  auto Wqkv = b.named(b.concatenate({Wq, Wk, Wv}, 1), "Wqkv");
  b.makes("QKV");
  auto QKV = b.stored(collective_os(b, options, X, Wqkv, {"m", "k", "3k"}));
  const int64_t width = QKV.dim(1) / 3;
  auto Q = b.slice(QKV, 1, 0, width), K = b.slice(QKV, 1, width, width);
  auto V = b.named(b.slice(QKV, 1, 2 * width, width), "V");
  b.makes("A");
  auto A = b.stored(collective_ls(b, options, V, Wo, {"m", "k", "k"}));
  b.makes("H");
  auto H = b.stored(b.relu(collective_os(b, options, A, W, {"m", "k", "n"})));
  b.makes("Y");
  auto Y = collective_ls(b, options, H, W2, {"m", "n", "k"});
  b.result("Q", Q, "mk", split);
  b.result("K", K, "mk", split);
  b.result("V", V, "mk", split);
  return b.finish(Y, "mk", split);
}

}  // namespace

std::vector<Strategy> transformer_strategies() {
  const Family f{"Vaswani et al. 2017; the order of dataflows: MeshSlice, ISCA 2025", {"row", "col"}};
  return {f.example({"transformer.block"},
                    "Products of a transformer block: qkv, output, up, down; attention itself is left out",
                    transformer_block)};
}

}  // namespace shardscope::inline strategy
