// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/entry/sum_notes.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "engine/partition/rules/partial_sums.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/program/stages/stage.h"

namespace shardscope::inline partitioner {
namespace {

// "partial sums of %2 (dot.7) are rounded to bf16 before 4 devices add them up (all-reduce, and 3 more)".
void note_narrow_sums(const Partitioned& made, std::vector<std::string>& out) {
  std::map<std::string_view, const CollectiveOrigin*> rows;
  for (const CollectiveOrigin& row : made.collectives) rows.emplace(row.name, &row);
  std::string first;
  int more = -1;
  for (const Computation& c : made.program->computations) {
    for (const Instruction& i : c.instructions) {
      const bool sums = i.opcode == Opcode::all_reduce && !i.shape.is_tuple && is_narrow(i.shape.type) &&
                        is_sum(*made.program, i);
      if (!sums || i.replica_groups->tiles.dims.size() != 2) continue;
      if (++more > 0) continue;
      const auto row = rows.find(i.name);
      const std::string of =
          row == rows.end() || row->second->consumer.empty() ? "" : " of " + row->second->consumer;
      first = fmt::format("partial sums{} are rounded to {} before {} devices add them up ({}", of,
                          name(i.shape.type), i.replica_groups->tiles.dims[1], display_name(i));
    }
  }
  if (more < 0) return;
  out.push_back(first + (more == 0 ? "" : fmt::format(", and {} more", more)) +
                "): results differ from those of one device by such roundings");
}

bool is_unreduced(const HloSharding& s) {
  return s.kind == HloSharding::Kind::unreduced ||
         std::ranges::count(s.subgroups, HloSharding::Subgroup::unreduced) > 0;
}

void note_unreduced(const Instruction& i, const char* what, std::vector<std::string>& out) {
  const auto shardings = leaf_shardings(i);
  if (!shardings.ok() || std::ranges::none_of(*shardings, is_unreduced)) return;
  out.push_back(fmt::format("{} {} is unreduced in the module; here every device has the whole sum", what,
                            display_name(i)));
}

}  // namespace

std::vector<std::string> sum_notes(const Program& source, const Partitioned& made) {
  std::vector<std::string> out;
  note_narrow_sums(made, out);
  const Computation& entry = source.entry_computation();
  for (const Instruction& i : parameters(entry)) note_unreduced(i, "parameter", out);
  note_unreduced(entry.root_instruction(), "the result", out);
  return out;
}

}  // namespace shardscope::inline partitioner
