// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "engine/partition/shardy/factor_rule.h"
#include "engine/partition/types/leaf_shardings.h"

namespace shardscope::inline partitioner {

inline constexpr int64_t kNone = -1;  // an array without the factor

// A rule while it is made: factors are added by the dimension that they are in each array.
class RuleBuilder {
 public:
  using Kind = FactorRule::Kind;
  RuleBuilder(const Computation& c, const Instruction& i) : c_(c), i_(i) {
    for (const InstructionId operand : i.operands) rule_.operands.emplace_back(c.at(operand).shape.rank());
    for (const Shape& leaf : leaves_of(i.shape)) rule_.results.emplace_back(leaf.rank());
  }

  const Computation& computation() const { return c_; }
  const Instruction& instruction() const { return i_; }
  const Shape& operand(size_t k) const { return c_.at(i_.operands[k]).shape; }
  const Shape& result() const { return i_.shape.is_tuple ? i_.shape.elements.front() : i_.shape; }

  size_t add(int64_t size, Kind kind, bool blocked = false) {
    rule_.factors.push_back({size, kind, blocked});
    return rule_.factors.size() - 1;
  }
  void in_operand(size_t k, int64_t dim, size_t factor) { put(rule_.operands[k], dim, factor); }
  // Of all results: they are alike.
  void in_results(int64_t dim, size_t factor) {
    for (auto& mapping : rule_.results) put(mapping, dim, factor);
  }
  // One that is dimension dims[k] of operand k and `result` of the results.
  void factor(const std::vector<int64_t>& dims, int64_t result, int64_t size, Kind kind = Kind::pass_through,
              bool blocked = false) {
    const size_t made = add(size, kind, blocked);
    for (size_t k = 0; k < dims.size(); ++k) in_operand(k, dims[k], made);
    in_results(result, made);
  }
  // Dimensions that nothing was said of are factors of their own.
  FactorRule done() && {
    for (size_t k = 0; k < rule_.operands.size(); ++k) fill(rule_.operands[k], operand(k).dims);
    const std::vector<Shape> leaves = leaves_of(i_.shape);
    for (size_t k = 0; k < leaves.size(); ++k) fill(rule_.results[k], leaves[k].dims);
    return std::move(rule_);
  }

 private:
  static void put(FactorRule::Mapping& mapping, int64_t dim, size_t factor) {
    if (dim >= 0 && dim < static_cast<int64_t>(mapping.size()))
      mapping[static_cast<size_t>(dim)].push_back(factor);
  }
  void fill(FactorRule::Mapping& mapping, const std::vector<int64_t>& dims) {
    for (size_t d = 0; d < mapping.size(); ++d)
      if (mapping[d].empty()) mapping[d].push_back(add(dims[d], Kind::pass_through));
  }

  const Computation& c_;
  const Instruction& i_;
  FactorRule rule_;
};

}  // namespace shardscope::inline partitioner
