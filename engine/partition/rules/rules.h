// SPDX-License-Identifier: Apache-2.0
// What the partitioner does with each operation: one rule each, in a table by opcode.
#pragma once

#include <optional>
#include <string>

#include "engine/partition/rules/visit.h"
#include "engine/partition/types/identity.h"
#include "engine/program/ir/opcode.h"

namespace shardscope::inline partitioner {

// Writes what every device does for the instruction: its leaves, in whatever tilings come of it.
using SpmdRule = Result<ShardedLeaves>(const SpmdContext& cx, const Visit& v);
Result<ShardedLeaves> write_by_rule(const SpmdContext& cx, const Visit& v);

// Why an operation is not cut where its arrays are; empty: there is a rule for it.
std::string partition_hole(Opcode opcode);

namespace spmd_rule {

SpmdRule replicated;  // no rule: every device does all of it
// arrays out of nothing, element by element, tuples: spmd_elements.cpp
SpmdRule parameter, constant, iota, elementwise, bitcast_convert, map, copy, tuple, get_tuple_element,
    dimension_size;
// the same elements in other places: spmd_shape_rules.cpp, spmd_dynamic_slices.cpp
SpmdRule broadcast, transpose, reshape, bitcast, concatenate, slice, pad, reverse, dynamic_slice,
    dynamic_update_slice;
// sums and orders: spmd_reduce.cpp
SpmdRule reduce, sort, top_k, fft;
// windows: spmd_windows.cpp
SpmdRule reduce_window, select_and_scatter;
// batches of matrices, custom-calls that say that they are batches: spmd_batched.cpp
SpmdRule batched;
// products: spmd_products.cpp
SpmdRule dot, convolution;
// places that follow from data: spmd_gather.cpp, spmd_scatter.cpp
SpmdRule gather, scatter;
// other computations: spmd_loops.cpp
SpmdRule while_loop, conditional;
// in manual regions: manual.cpp
SpmdRule device_number, enter_region, leave_region, own_collective;

}  // namespace spmd_rule
}  // namespace shardscope::inline partitioner
