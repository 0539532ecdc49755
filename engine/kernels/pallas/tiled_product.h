// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/kernels/text/syntax.h"

namespace shardscope::kernels {

// result = left · right in tiles of rows × depth and depth × cols, as a kernel's text has it.
struct TiledProduct {
  const Expr *left = nullptr, *right = nullptr, *result = nullptr;
  const Expr *rows = nullptr, *depth = nullptr, *cols = nullptr;
};

// What `loop` does where it is a pipeline whose last axis is the contraction: zero an accumulator, add dots
// to it, one store at the end. None: it does something else.
std::optional<TiledProduct> product_in_tiles(const KernelText& text, const Statement& loop);

}  // namespace shardscope::kernels
