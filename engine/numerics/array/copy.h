// SPDX-License-Identifier: Apache-2.0
// Reading views: element runs, copies, sums.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/numerics/array/buffer_pool.h"
#include "engine/numerics/array/loops.h"
#include "engine/numerics/array/view.h"
#include "engine/sharding/named_sharding.h"

namespace shardscope::inline numerics {

using ViewPtr = std::shared_ptr<const View>;

// Elements of a view that neighbour each other in row-major order and lie one stride apart.
struct ElementRun {
  int64_t at = 0;  // row-major place in the view of the first one
  int64_t count = 0;
  const std::byte* data = nullptr;
  int64_t stride = 1;  // in elements
};

// All elements of the view, run by run.
void for_each_run(const View& view, const std::function<void(const ElementRun&)>& body);

// Cuts a view in at most `parts` neighbouring ranges of its outermost dimension that is no 1, each with its
// first row-major place. For spreading work over threads.
struct ViewPart {
  View view;
  int64_t at = 0;
};
std::vector<ViewPart> cut(const View& view, int64_t parts);

// Writes the view to `target` in row-major order.
void copy_to(const View& view, std::byte* target);

Array copy_of(const View& view);  // in memory of its own

// Writes row-major `part` to its box of `whole`.
void paste(const std::byte* part, const IndexBox& box, Array& whole);

// Plain row-major forms of `views`: copies, made on all workers, or views of the same memory where that is
// contiguous already. Null stays null.
std::vector<ViewPtr> materialise(std::span<const ViewPtr> views, BufferPool& pool, Loops& loops);

}  // namespace shardscope::inline numerics
