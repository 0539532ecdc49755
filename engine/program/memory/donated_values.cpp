// SPDX-License-Identifier: Apache-2.0
#include "engine/program/memory/donated_values.h"

#include <optional>

#include "engine/program/memory/donated.h"
#include "engine/program/memory/tuple_buffers.h"

namespace shardscope::inline program {
namespace {

// The first result of the size that takes no argument's place yet.
std::optional<size_t> free_result(const ValueFlow& flow, int32_t argument) {
  const int64_t bytes = flow.values[static_cast<size_t>(argument)].bytes;
  for (size_t r = 0; r < flow.results.size(); ++r)
    if (flow.aliased[r] < 0 && flow.values[static_cast<size_t>(flow.results[r])].bytes == bytes) return r;
  return std::nullopt;
}

}  // namespace

void take_donated(const Program& program, const std::vector<std::vector<int32_t>>& given, ValueFlow& flow) {
  const Computation& entry = program.entry_computation();
  flow.aliased.assign(flow.results.size(), -1);
  const auto parameters = parameters_by_number(entry);
  for (const DonatedLeaf& d : donated_leaves(program)) {
    const auto number = static_cast<size_t>(d.parameter);
    if (number >= given.size() || number >= parameters.size() || parameters[number] == nullptr) continue;
    const auto from = buffer_at(parameters[number]->shape, d.path);
    if (!from || *from >= given[number].size()) continue;
    const int32_t argument = given[number][*from];
    const auto to =
        d.whole ? free_result(flow, argument) : buffer_at(entry.root_instruction().shape, d.result);
    if (!to || *to >= flow.aliased.size()) continue;
    flow.aliased[*to] = argument;
    flow.values[static_cast<size_t>(argument)].home = ValueHome::donated;
  }
}

}  // namespace shardscope::inline program
