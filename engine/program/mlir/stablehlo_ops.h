// SPDX-License-Identifier: Apache-2.0
// The one table of StableHLO's, chlo's and Shardy's operations: what each becomes in HLO.
#pragma once

#include <span>
#include <string_view>

#include "engine/program/mlir/mlir_case.h"

namespace shardscope::inline program {

// A row: the operation without its dialect ("dot_general"; Shardy's with it), HLO's opcode, and what writes
// it.
struct StablehloOp {
  std::string_view name;
  Opcode opcode;
  Result<void> (*lower)(MlirCase&);
};
// Writes c.op, or says why not.
Result<void> lower_stablehlo(MlirCase& c);

// chlo.scan (scan_op.cpp): cumulative sums and the like as windows, others as loops.
Result<void> lower_scan(MlirCase& c);
// An operation that no table has (unknown_op.cpp): it keeps its name and its text, and means nothing.
Result<void> lower_unknown_op(MlirCase& c);
// A custom-call "ragged_all_to_all" is HLO's operation of that name.
Result<void> lower_ragged_call(MlirCase& c);

// chlo.ragged_dot (ragged_ops.cpp).
Result<void> lower_ragged_dot(MlirCase& c);

// Attributes that rows of several files read (product_ops.cpp).
// "{key = [0], …}" of an attribute with entries, into the lists named.
struct NamedList {
  std::string_view key;
  std::vector<int64_t>* into;
};
Result<void> mlir_lists(const MlirCase& c, std::string_view text, const std::vector<NamedList>& lists);
Result<void> add_precision(const MlirCase& c, Instruction& made);

// Rows by their files.
std::span<const StablehloOp> stablehlo_array_ops();       // movement, constants, elements
std::span<const StablehloOp> stablehlo_function_ops();    // of one element, transforms
std::span<const StablehloOp> stablehlo_product_ops();     // products, reductions, indexed
std::span<const StablehloOp> stablehlo_control_ops();     // calls, loops, branches, custom calls
std::span<const StablehloOp> stablehlo_collective_ops();  // between devices
std::span<const StablehloOp> stablehlo_named_ops();       // what HLO has and we only name
std::span<const StablehloOp> shardy_ops();

}  // namespace shardscope::inline program
