// SPDX-License-Identifier: Apache-2.0
// The one table of StableHLO's, chlo's and Shardy's operations: what each becomes in HLO.
#pragma once

#include <span>
#include <string_view>

#include "engine/program/mlir/mlir_case.h"

namespace shardscope {

// A row: the operation without its dialect ("dot_general"; Shardy's with it), HLO's opcode, and what writes
// it.
struct StablehloOp {
  std::string_view name;
  Opcode opcode;
  Result<void> (*lower)(MlirCase&);
};
// Writes c.op, or says why not.
Result<void> lower_stablehlo(MlirCase& c);

// Rows by their files.
std::span<const StablehloOp> stablehlo_array_ops();       // movement, constants, elements
std::span<const StablehloOp> stablehlo_product_ops();     // products, reductions, indexed
std::span<const StablehloOp> stablehlo_control_ops();     // calls, loops, branches, custom calls
std::span<const StablehloOp> stablehlo_collective_ops();  // between devices
std::span<const StablehloOp> stablehlo_named_ops();       // what HLO has and we only name
std::span<const StablehloOp> shardy_ops();

}  // namespace shardscope
