// SPDX-License-Identifier: Apache-2.0
// What custom-calls mean, by their target.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

enum class CustomTarget : unsigned char {
  unknown,     // to us
  sharding,    // its operand, with a sharding of its own
  region_end,  // where a manual region begins or ends
  placement,   // its operand, wherever it is to lie
  allocate,    // memory that is written before it is read
  // Where a collective inside of a fusion begins and ends, the arrays between being the compiler's own.
  async_start,
  async_done,
  split_low,  // of 64 bits the lower 32: of a complex number its real part, of an f64 what an f32 leaves
  split_high,
  combine,
  zero_crop,     // an array and the room behind it in its tile, filled with zeros
  invert_lower,  // of each triangular matrix of a batch its inverse
  invert_upper,
  top_k,
  approx_top_k,  // told how many must be right; we give all. On TPUs its first step too
  threefry,      // Threefry-2x32 with 20 rounds, element by element
  cholesky,  // HLO's own operation, and what XLA:TPU calls: one triangle of the factor, zeros in the other
  // By LAPACK's names.
  potrf,
  trsm,
  getrf,
  lu,      // getrf that counts from 0, and its rows' permutation
  pivots,  // which row is where after getrf's exchanges
  geqrf,
  geqp3,
  orgqr,
  ormqr,
  syevd,
  gesdd,
  gesvd,
  gesvdj,  // gives V, not its transpose
  sytrd,
  gehrd,
  gees,
  geev,
  gtsv,
  gtsv2,   // gives the solution alone
  matmul,  // of cuBLAS, with its epilogue
  triangular_solve,
  convolution,        // of cuDNN,
  convolution_input,  // and its gradients
  convolution_kernel,
};

// Of any instruction; unknown where it is no custom-call.
CustomTarget custom_target(const Instruction& instruction);
CustomTarget parse_custom_target(std::string_view target);

// How many trailing dimensions of its first operand an item of the batch has, as the table says; none: its
// operands are no batch, or nobody knows.
std::optional<int64_t> item_dims(const Instruction& instruction);

}  // namespace shardscope::inline program
