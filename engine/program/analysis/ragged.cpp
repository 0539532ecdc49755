// SPDX-License-Identifier: Apache-2.0
// What the constant tables of a ragged-all-to-all say.
#include <algorithm>

#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/scalar.h"

namespace shardscope::inline program {
namespace {

using Tables = std::vector<std::vector<int64_t>>;

// The numbers of an integer array on each of `devices`, where they follow from constants and from the
// device's own place: a table, or a row of one. None when they depend on data.
std::optional<Tables> constant_tables(const Computation& computation, InstructionId id,
                                      const std::vector<DeviceId>& devices) {
  const Instruction& i = computation.at(id);
  if (has(i.opcode, Trait::same_order)) return constant_tables(computation, i.operands[0], devices);
  if (const auto all = integer_literal(i.literal); all && std::ssize(*all) == i.shape.element_count())
    return Tables(devices.size(), *all);
  if (i.opcode != Opcode::dynamic_slice) return std::nullopt;
  const Instruction& table = computation.at(i.operands[0]);
  const auto numbers = integer_literal(table.literal);
  const bool rows = i.shape.rank() == 2 && i.shape.dims[1] == table.shape.dims[1];
  if (!numbers || !rows || static_cast<int64_t>(numbers->size()) != table.shape.element_count())
    return std::nullopt;
  const int64_t height = i.shape.dims[0], width = i.shape.dims[1];
  Tables out;
  for (const DeviceId device : devices) {
    const auto row = evaluate_scalars(computation, device)[static_cast<size_t>(i.operands[1].value)];
    if (!row) return std::nullopt;
    const int64_t first = std::clamp<int64_t>(*row, 0, table.shape.dims[0] - height) * width;
    out.emplace_back(numbers->begin() + first, numbers->begin() + first + height * width);
  }
  return out;
}

}  // namespace

Result<std::vector<int64_t>> ragged_sizes(const Program& program, const Instruction& instruction,
                                          const std::vector<DeviceId>& group) {
  const Computation& entry = program.entry_computation();
  const auto tables = constant_tables(entry, instruction.operands.at(3), group);
  const size_t ranks = group.size();
  if (!tables || tables->front().size() % ranks != 0)
    return invalid("the send sizes of " + instruction.name + " are no rows of a constant table");
  const size_t updates = tables->front().size() / ranks;  // to each rank
  std::vector<int64_t> sizes(ranks * ranks);
  for (size_t from = 0; from < ranks; ++from) {
    for (size_t at = 0; at < ranks * updates; ++at) sizes[from * ranks + at / updates] += (*tables)[from][at];
  }
  return sizes;
}

}  // namespace shardscope::inline program
