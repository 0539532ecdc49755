// SPDX-License-Identifier: Apache-2.0
// Each operation as an expression of jax.lax.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// An instruction whose operands have names in Python.
struct JaxOperation {
  const Program& program;
  const Computation& computation;
  const Instruction& i;
  std::vector<std::string> operands;
  const std::vector<std::string>& functions;  // by ComputationId

  const std::string& operand(size_t n) const { return operands[n]; }
  const Shape& operand_shape(size_t n) const { return computation.at(i.operands[n]).shape; }
  Error hole(const std::string& what) const;  // "sort.3: …"
};

using JaxRule = Result<std::string>(const JaxOperation& op);
// Errors: JAX has no such operation.
Result<std::string> jax_expression(const JaxOperation& op);

std::string jax_type(ElementType type);                 // "jnp.float32"
std::string jax_axes(const std::vector<std::string>&);  // "\"x\"" or ("x", "y")
// What combines two values: "lax.add", or the function of the computation.
std::string jax_combiner(const JaxOperation& op, ComputationId reducer);
// The function of the file itself that an exchange of rows calls.
std::string_view jax_ragged_all_to_all();

namespace jax_rule {

JaxRule constant, iota, named, compare, convert, bitcast_convert, alias, reshape, transpose, broadcast;
JaxRule slice, dynamic_slice, dynamic_update_slice, concatenate, pad, reverse, round_away, round_even;
JaxRule reduce_precision, tuple, tuple_element, barrier;
// jax_products.cpp
JaxRule dot, ragged_dot, convolution, reduce, reduce_window, gather, scatter, sort, topk, fft, random_bits;
// jax_control.cpp
JaxRule call, while_loop, conditional, custom_call;
// jax_collectives.cpp
JaxRule partition_id, replica_id, all_gather, all_reduce, reduce_scatter, all_to_all, ragged_all_to_all;
JaxRule collective_permute, collective_broadcast;

}  // namespace jax_rule
}  // namespace shardscope::inline program
