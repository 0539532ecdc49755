// SPDX-License-Identifier: Apache-2.0
// Grouped matmul, as a TPU kernel does it tile by tile: megablox gmm and tgmm (jax.experimental.pallas, The
// JAX Authors, 2024). Operands are f32 or bf16 in any mixture; two bf16 operands are multiplied as bf16,
// otherwise as f32; sums are f32 and rounded once when stored.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <variant>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/numerics/array/array.h"
#include "engine/program/ir/group_metadata.h"

namespace shardscope::inline grouped {

// Rows, contracted (gmm) and column elements of a tile. tm divides m; k and n may leave a remainder.
struct GmmTiling {
  int64_t tm = 128, tk = 128, tn = 128;
  bool operator==(const GmmTiling&) const = default;
};
// Tuned tiles for (m, k, n); none: nobody tuned that problem, which is refused.
using TilingLookup = std::function<std::optional<GmmTiling>(int64_t m, int64_t k, int64_t n)>;

struct GroupedOptions {
  std::variant<GmmTiling, TilingLookup> tiling = GmmTiling{};
  ElementType out_type = ElementType::f32;  // f32 or bf16
  int64_t group_offset = 0;                 // the first group of this shard
  std::optional<int64_t> local_groups;      // groups of this shard; gmm: as many as rhs has
  std::optional<Array> existing_out;        // of out_type
  bool transpose_rhs = false;               // gmm: rhs is [groups, n, k]
  std::optional<bool> visit_empty;          // unset: off for gmm, on for tgmm
  bool allow_short = false;
};

// What became of a row (gmm) or of a group's matrix (tgmm) of the output.
enum class OutputState : uint8_t {
  computed,   // by this call
  kept,       // of existing_out: in a visited tile, copied through the kernel
  aliased,    // of existing_out: no visit came near it, the output is the same memory
  zeroed,     // another shard's, set to zero afterwards
  unwritten,  // memory that nobody wrote; holds NaN here
};
const char* name(OutputState state);

// The sizes of one call: what its cost follows from.
struct GroupedShape {
  int64_t m = 0, k = 0, n = 0;
  GmmTiling tiling;
  ElementType lhs = ElementType::f32, rhs = ElementType::f32, out = ElementType::f32;
  bool existing_out = false;
  bool operator==(const GroupedShape&) const = default;
};

struct GroupedResult {
  Array out;                        // gmm [m, n]; tgmm [local groups, k, n]
  std::vector<OutputState> states;  // by row, by local group
  GroupMetadata metadata;
  GroupedShape shape;
};

// The two matrices, or stacks of them, of a call.
struct GroupedOperands {
  const Array& lhs;
  const Array& rhs;
};

// out[r] = lhs[r]·rhs[g - group_offset] for each row r of each local group g. lhs [m, k], rhs [groups, k, n].
// Rows of existing_out that a local group owns are replaced, the others stay. Without existing_out and with
// fewer local groups than groups, the rows of the others are set to 0. Errors: shapes, types, tiles, group
// sizes; cancelled.
Result<GroupedResult> gmm(const Array& lhs, const Array& rhs, const std::vector<int64_t>& group_sizes,
                          const GroupedOptions& options, const Workers& workers, const std::stop_token& stop);

// out[g - group_offset] = lhs[:, rows of g]·rhs[rows of g, :], plus existing_out[g - group_offset]. lhs
// [k, m], rhs [m, n]. The matrix of an empty group is 0, or unwritten without visit_empty.
Result<GroupedResult> tgmm(const Array& lhs, const Array& rhs, const std::vector<int64_t>& group_sizes,
                           const GroupedOptions& options, const Workers& workers,
                           const std::stop_token& stop);

// What the output of gmm (or tgmm) must be: products in f64, row by row and without tiles, rounded once;
// where the call computed nothing, existing_out or 0; NaN where nobody writes. Takes the arguments that made
// `result` and of it only what it says it did.
enum class GroupedOp : uint8_t { gmm, tgmm };
Array grouped_reference(GroupedOp op, const GroupedOperands& operands, const GroupedOptions& options,
                        const GroupedResult& result, const Workers& workers, const std::stop_token& stop);

}  // namespace shardscope::inline grouped
