// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/session/atlas/atlas.h"
#include "engine/sharding/product_steps.h"
#include "engine/sharding/routes.h"

namespace shardscope::inline session {

// The cheapest way of a product: all splits of m, k and n by which devices multiply what they have, and to
// each the cheapest ways of the arrays from and to where they lie.
class BestProducts {
 public:
  // Searches the ways of all arrays once.
  static Result<BestProducts> make(const AtlasQuestion& question, const std::vector<AxisSplit>& splits,
                                   const std::stop_token& stop);

  // For splits by their numbers, what may be fastest: the cheapest when the operands' ways go one after the
  // other, and the cheapest when they hide behind each other, where that is another. Which one it is, is
  // found out when they are timed.
  std::vector<ProductSteps> ways(size_t lhs, size_t rhs, size_t result) const;

 private:
  struct Local {
    SplitProduct product;
    Picoseconds time = 0;  // of the product of a device's parts
  };
  explicit BestProducts(const AtlasQuestion& question) : question_(&question) {}
  Result<void> find_locals(const std::stop_token& stop);
  enum class Operands : uint8_t { in_turn, beside };
  size_t cheapest(size_t lhs, size_t rhs, size_t result, Operands operands) const;

  const AtlasQuestion* question_;
  std::vector<AxisSplit> splits_;
  std::vector<Local> locals_;
  std::optional<RouteGraph> lhs_, rhs_, result_;
  // [split · locals + local]: what the way to there, or from there, costs.
  std::vector<StepCost> to_lhs_, to_rhs_, from_result_;
};

// "all-gather rhs over y, all-reduce result over x"; "local" where nothing moves.
std::string strategy_text(const ProductSteps& steps, const Mesh& mesh);

}  // namespace shardscope::inline session
