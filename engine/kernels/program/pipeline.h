// SPDX-License-Identifier: Apache-2.0
// Double-buffered pipelines between hbm and vmem, as pltpu.emit_pipeline writes them.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/kernels/program/builder.h"

namespace shardscope::kernels {

using GridIndex = std::vector<int64_t>;

// An operand cut in blocks of rows × cols; `index` says which block a grid step works on, as (row, column) of
// blocks. Blocks at the far edges are as small as what is left.
struct BlockSpec {
  Ref ref;  // in hbm
  int64_t rows = 0, cols = 0;
  std::function<std::pair<int64_t, int64_t>(const GridIndex&)> index;
  std::string name;  // of its vmem blocks: "a" makes a.block[0] and a.block[1]
};

struct Pipeline {
  std::vector<int64_t> grid;  // nested loops, the last one fastest
  std::vector<BlockSpec> inputs, outputs;
  int64_t buffers = 2;  // per operand: 2 overlaps copies and compute, 1 does not
};

// What the body of a grid step works on: its blocks in vmem.
struct PipelineStep {
  GridIndex at;
  std::vector<Ref> inputs, outputs;
};

// Copies block i + 1 in while block i is computed and block i - 1 goes out. A block whose index stays is
// neither fetched again nor stored in between. An output block that is visited again after another one is a
// defect of the kernel (output_revisit). All statements of the pipeline itself stand on the line of this
// call.
void emit_pipeline(Kernel& k, const Pipeline& pipeline, const std::function<void(const PipelineStep&)>& body,
                   At at = At::current());

}  // namespace shardscope::kernels
