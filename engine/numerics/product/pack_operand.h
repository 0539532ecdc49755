// SPDX-License-Identifier: Apache-2.0
// Operands of products as the panels that the kernel reads.
#pragma once

#include "engine/numerics/product/bf16_panels.h"
#include "engine/numerics/product/micro_kernel.h"
#include "engine/numerics/product/pack.h"
#include "engine/numerics/product/product.h"
#include "engine/numerics/product/tiling.h"

namespace shardscope::inline numerics {

struct PanelRange {
  int64_t begin, end;
};

// Packing one stretch of an operand: all panels, one after the other.
template <class T>
struct PackTask {
  const MatrixView* matrix;
  DepthPart stretch;
  OperandSide side;
  T* panels;
};

template <class T>
void pack_any(const MatrixView& matrix, const PanelRows& rows, int64_t k, int64_t depth, T* panels) {
  element::visit(matrix.type, [&](auto tag) {
    using Tag = decltype(tag);
    if constexpr (!element::kComplex<Tag>) pack_panels<Tag, T>(matrix, rows, k, depth, panels);
  });
}

// Some of a left operand's panels.
template <class T>
void pack_left(const PackTask<T>& task, const std::vector<RowPanel>& panels, PanelRange some) {
  const DepthPart& s = task.stretch;
  for (int64_t p = some.begin; p < some.end; ++p) {
    const RowPanel& rows = panels[static_cast<size_t>(p)];
    T* panel = task.panels + rows.start * s.padded;
    if constexpr (std::is_same_v<T, Bf16>)
      pack_bf16_left(*task.matrix, rows.start, s.k, s.depth, panel);
    else
      pack_any(*task.matrix, {rows.start, rows.height, 1}, s.k, s.depth, panel);
  }
}

// Some tiles of a right operand's stretch, one after the other.
template <class T>
void pack_right(const MatrixView& matrix, const MicroKernel<T>& kernel, PanelRange tiles, const DepthPart& s,
                T* panels) {
  const int64_t width = kernel.columns;
  if constexpr (std::is_same_v<T, Bf16>) {
    for (int64_t t = tiles.begin; t < tiles.end; ++t, panels += s.padded * width)
      pack_bf16_right(matrix, t * width, s.k, s.depth, panels);
  } else {
    pack_any(matrix, {tiles.begin * width, width, tiles.end - tiles.begin}, s.k, s.depth, panels);
  }
}

}  // namespace shardscope::inline numerics
