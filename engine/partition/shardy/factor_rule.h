// SPDX-License-Identifier: Apache-2.0
// Shardy's sharding rules: which factors an operation's dimensions are made of, the same factor in several
// arrays where they are cut together. One table by opcode.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/partition/types/batched_call.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline partitioner {

struct FactorRule {
  enum class Kind {
    pass_through,      // the result keeps it
    reduction,         // summed over: cutting it asks for a sum between devices
    permutation,       // cutting it asks for neighbours' elements
    need_replication,  // cutting it asks for the whole
  };
  struct Factor {
    int64_t size = 1;
    Kind kind = Kind::pass_through;
    bool blocked = false;  // nothing spreads through it
    auto operator<=>(const Factor&) const = default;
  };
  // By dimension of an array: its factors, major first; each is in an array once at most.
  using Mapping = std::vector<std::vector<size_t>>;

  std::vector<Factor> factors;
  std::vector<Mapping> operands, results;  // results: of each leaf of the shape

  auto operator<=>(const FactorRule&) const = default;
  // Of operands, then results, counted together.
  const Mapping& array(size_t n) const {
    return n < operands.size() ? operands[n] : results[n - operands.size()];
  }
  // "([i, k], [k, j])->([i, j]) {i=8, j=6, k=4} reduction={k}"
  std::string text() const;
};
std::string factor_name(size_t factor);  // i … z, z_1, z_2, …

// When an operation passes shardings on (Shardy's op priorities).
enum class FactorClass {
  other,      // of operations without a row in the table
  arrays,     // passes whole arrays on: elementwise, reshape, transpose, what only hands data over
  slices,     // the same, but only to its result
  broadcast,  // hands back before it hands on
};

// None: nothing spreads through the operation. Of tuples, loops and branches see propagation_rules.h.
std::optional<FactorRule> factor_rule(const Computation& computation, const Instruction& instruction);
FactorClass factor_class(const Instruction& instruction);
// The rule that a custom-call brings along.
FactorRule as_said(ShardingRuleText said);
// Two arrays that are the same.
FactorRule same_array(const std::vector<int64_t>& dims);

}  // namespace shardscope::inline partitioner
