// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/bitcast_moves.h"

#include <algorithm>

#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline program {
namespace {

Shape in_order(const Shape& shape, const std::vector<int64_t>& order) {
  Shape out = Shape::array(shape.type, {});
  for (const int64_t d : order) out.dims.push_back(shape.dims[static_cast<size_t>(d)]);
  return out;
}

}  // namespace

std::optional<BitcastMoves> bitcast_moves(const Shape& operand, const Shape& result) {
  if (operand.is_tuple || result.is_tuple) return std::nullopt;
  BitcastMoves out;
  const std::vector<int64_t> from = physical_order(operand), to = physical_order(result);
  if (!std::ranges::is_sorted(from)) out.before = from;
  if (!std::ranges::is_sorted(to)) {
    out.after.resize(to.size());
    for (size_t d = 0; d < to.size(); ++d) out.after[static_cast<size_t>(to[d])] = static_cast<int64_t>(d);
  }
  if (out.before.empty() && out.after.empty()) return std::nullopt;
  out.from = in_order(operand, from);
  out.to = in_order(result, to);
  return out;
}

}  // namespace shardscope::inline program
