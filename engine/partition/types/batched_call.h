// SPDX-License-Identifier: Apache-2.0
// Operations on batches of which every item is for itself, and what custom-calls say of their dimensions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline partitioner {

// How many leading dimensions of every operand and result number the items: of a custom-call as its frontend
// attribute num_batch_dims says, as XLA reads it, else as the table of targets does. None: nobody says so.
std::optional<int64_t> batch_dims(const Computation& computation, const Instruction& instruction);

// A top-k by its custom-call: the dimension along which it looks, and how many arrays it orders; initial
// values may stand behind those. None: it is none.
struct TopDims {
  int64_t dimension = 0;
  size_t arrays = 1;
};
std::optional<TopDims> top_dims(const Computation& computation, const Instruction& instruction);

// Shardy's rule for one operation, as a custom-call carries it:
// "#sdy.op_sharding_rule<([i, jk])->([i, l]) {i=8, j=2, k=4, l=16} reduction={j}, custom>".
struct ShardingRuleText {
  enum class Kind { pass_through, reduction, need_replication, permutation };
  struct Factor {
    std::string name;
    int64_t size = 1;
    Kind kind = Kind::pass_through;
  };
  using Array = std::vector<std::vector<size_t>>;  // by dimension: its factors, major first
  std::vector<Factor> factors;
  std::vector<Array> operands, results;
};
// None: the text is no such rule.
std::optional<ShardingRuleText> parse_sharding_rule(std::string_view text);
// That of the instruction, where it has one that fits its operands and results.
std::optional<ShardingRuleText> sharding_rule_of(const Computation& computation,
                                                 const Instruction& instruction);

// The dimensions along which devices may have some items each: the same number in all arrays that have it.
struct BatchedCall {
  size_t count = 0;                                     // of such dimensions
  std::vector<std::vector<int64_t>> operands, results;  // by dimension of an array: which of them, -1: none
};
// By batch_dims, else by the sharding rule; none: neither says anything.
std::optional<BatchedCall> batched_call(const Computation& computation, const Instruction& instruction);

}  // namespace shardscope::inline partitioner
