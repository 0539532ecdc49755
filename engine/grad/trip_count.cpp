// SPDX-License-Identifier: Apache-2.0
#include "engine/base/units.h"
#include "engine/grad/loops.h"
#include "engine/program/analysis/local_work.h"
#include "engine/program/analysis/tuple_elements.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/scalar.h"

namespace shardscope::inline grad {
namespace {

// Which element of the parameter it is; -1: none.
int64_t state_element(const Computation& c, InstructionId id) {
  const auto element = parameter_element(c, behind_copies(c, id));
  return element ? static_cast<int64_t>(*element) : -1;
}

std::optional<InstructionId> root_element(const Computation& body, int64_t element) {
  return element_in(body, body.root, static_cast<size_t>(element));
}

std::optional<int64_t> integer_at(const Computation& c, InstructionId id) {
  return evaluate_scalars(c, DeviceId(0))[static_cast<size_t>(id.value)];
}

CompareDirection mirrored(CompareDirection d) {
  switch (d) {
    case CompareDirection::lt:
      return CompareDirection::gt;
    case CompareDirection::le:
      return CompareDirection::ge;
    case CompareDirection::gt:
      return CompareDirection::lt;
    case CompareDirection::ge:
      return CompareDirection::le;
    default:
      return d;
  }
}

// Rounds of `for (i = first; i DIRECTION bound; i += step)`.
std::optional<int64_t> counted(int64_t first, CompareDirection direction, int64_t bound, int64_t step) {
  if (step == 0) return std::nullopt;
  if (direction == CompareDirection::ne) {
    const int64_t way = bound - first;
    return way % step == 0 && way / step >= 0 ? std::optional(way / step) : std::nullopt;
  }
  if (direction == CompareDirection::le || direction == CompareDirection::ge) bound += step > 0 ? 1 : -1;
  const bool up = direction == CompareDirection::lt || direction == CompareDirection::le;
  if (direction == CompareDirection::eq || up != (step > 0)) return std::nullopt;
  const int64_t way = up ? bound - first : first - bound, pace = up ? step : -step;
  return way <= 0 ? 0 : ceil_div(way, pace);
}

}  // namespace

bool is_unchanged(const Computation& body, int64_t element) {
  const auto root = root_element(body, element);
  return root && state_element(body, *root) == element;
}

std::optional<int64_t> step_of(const Computation& body, int64_t element) {
  const auto root = root_element(body, element);
  if (!root || body.at(*root).opcode != Opcode::add) return std::nullopt;
  const Instruction& sum = body.at(*root);
  for (size_t side = 0; side < 2; ++side)
    if (state_element(body, sum.operands[side]) == element) return integer_at(body, sum.operands[1 - side]);
  return std::nullopt;
}

std::optional<int64_t> first_value(const Computation& c, const Instruction& loop, int64_t element) {
  const auto first = element_in(c, loop.operands[0], static_cast<size_t>(element));
  return first ? integer_at(c, *first) : std::nullopt;
}

Result<int64_t> loop_rounds(const Program& program, const Computation& c, const Instruction& loop) {
  if (const auto known = known_trip_count(loop)) return *known;
  const Computation& body = called_by(program, loop, "body");
  const Computation& condition = called_by(program, loop, "condition");
  const Instruction& test = condition.root_instruction();
  for (size_t side = 0; test.opcode == Opcode::compare && side < 2; ++side) {
    const int64_t counter = state_element(condition, test.operands[side]);
    if (counter < 0) continue;
    const int64_t limit = state_element(condition, test.operands[1 - side]);
    const auto bound = limit < 0                   ? integer_at(condition, test.operands[1 - side])
                       : is_unchanged(body, limit) ? first_value(c, loop, limit)
                                                   : std::nullopt;
    const auto first = first_value(c, loop, counter), step = step_of(body, counter);
    if (!bound || !first || !step) continue;
    const CompareDirection direction = side == 0 ? comparison(test) : mirrored(comparison(test));
    if (const auto rounds = counted(*first, direction, *bound, *step)) return *rounds;
  }
  return invalid("'" + loop.name + "' has rounds that depend on data, so it has no derivative",
                 "instruction " + loop.name,
                 "say them in its backend_config: {\"known_trip_count\":{\"n\":\"8\"}}");
}

}  // namespace shardscope::inline grad
