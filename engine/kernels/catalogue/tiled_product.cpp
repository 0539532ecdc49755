// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/catalogue/tiled_product.h"

#include <algorithm>

#include "engine/base/units.h"
#include "engine/kernels/catalogue/pipeline.h"

namespace shardscope::kernels {

void emit_gemm(Kernel& k, const Ref& a, const Ref& b, const Ref& out, At at) {
  const KernelOptions& o = k.options();
  const int64_t bm = std::min(o.bm.value_or(32), a.rows()), bn = std::min(o.bn.value_or(32), b.cols());
  const int64_t bk = std::min(o.bk.value_or(32), a.cols());
  if (!k.require(bm > 0 && bn > 0 && bk > 0, "needs tiles of at least one row and column")) return;
  const int64_t steps = ceil_div(a.cols(), bk);
  const Ref accum = k.scoped("accum", bm, bn, ElementType::f32, at);
  Pipeline tiles;
  tiles.grid = {ceil_div(a.rows(), bm), ceil_div(b.cols(), bn), steps};
  tiles.inputs.push_back({a, bm, bk, [](const GridIndex& g) { return std::pair(g[0], g[2]); }, "a"});
  tiles.inputs.push_back({b, bk, bn, [](const GridIndex& g) { return std::pair(g[2], g[1]); }, "b"});
  tiles.outputs.push_back({out, bm, bn, [](const GridIndex& g) { return std::pair(g[0], g[1]); }, "out"});
  emit_pipeline(
      k, tiles,
      [&](const PipelineStep& step) {
        const Ref tile = step.outputs[0];
        const Ref sum = accum.at(0, tile.rows(), 0, tile.cols());
        if (step.at[2] == 0) k.zero(sum, at);
        k.dot(sum, step.inputs[0], step.inputs[1], at);
        if (step.at[2] == steps - 1) k.store(tile, sum, at);
      },
      at);
  k.end_scope(accum, at);
}

}  // namespace shardscope::kernels
