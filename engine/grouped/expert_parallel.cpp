// SPDX-License-Identifier: Apache-2.0
#include "engine/grouped/expert_parallel.h"

#include <algorithm>
#include <cstring>

#include "engine/base/text.h"
#include "engine/grouped/matrices.h"

namespace shardscope::inline grouped {

namespace {

Result<int> axis_of(const Mesh& mesh, const std::string& axis) {
  if (mesh.rank() == 0) return invalid("expected a mesh with an axis for the experts", "mesh");
  if (axis.empty()) return 0;
  const std::optional<int> found = mesh.axis_index(axis);
  if (found) return *found;
  std::vector<std::string> names;
  for (const MeshAxis& a : mesh.axes()) names.push_back(a.name);
  return invalid("no axis '" + axis + "' in the mesh " + mesh.text(), "axis", "one of " + join(names, ", "));
}

void measure_balance(ExpertParallel& experts) {
  double rows = 0, visits = 0, most_rows = 0, most_visits = 0;
  int64_t tm = 1;
  for (size_t i = 0; i < experts.shards.size(); ++i) {
    const GroupMetadata& meta = experts.shards[i].metadata;
    const double own = static_cast<double>(meta.rows()), steps = static_cast<double>(meta.multiplied_tiles);
    rows += own;
    visits += steps;
    most_rows = std::max(most_rows, own);
    if (steps > most_visits) experts.busiest = static_cast<int64_t>(i);
    most_visits = std::max(most_visits, steps);
    tm = meta.tm;
  }
  const double count = static_cast<double>(experts.shards.size());
  if (rows > 0) experts.row_imbalance = most_rows * count / rows;
  if (visits == 0) return;
  experts.visit_imbalance = most_visits * count / visits;
  experts.efficiency = rows / (most_visits * count * static_cast<double>(tm));
}

}  // namespace

Result<ExpertParallel> expert_parallel(const GroupedProblem& problem, const Mesh& mesh,
                                       const std::string& axis) {
  TRY(const int index, axis_of(mesh, axis));
  const MeshAxis& chosen = mesh.axes()[static_cast<size_t>(index)];
  const int64_t groups = static_cast<int64_t>(problem.group_sizes.size());
  if (groups % chosen.size != 0) {
    return invalid("expected groups that axis '" + chosen.name + "' of size " + std::to_string(chosen.size) +
                       " divides, got " + std::to_string(groups),
                   "group_sizes", "add empty groups, or use another axis");
  }
  if (problem.options.group_offset != 0 || problem.options.local_groups.value_or(groups) != groups)
    return invalid("the mesh shards the groups, expected all of them", "group_offset", "leave it out");
  ExpertParallel out;
  out.axis = chosen.name;
  for (int64_t place = 0; place < chosen.size; ++place) {
    GroupedProblem part = problem;
    part.options.local_groups = groups / chosen.size;
    part.options.group_offset = place * groups / chosen.size;
    part.options.existing_out.reset();
    TRY(GroupedEstimate planned, estimate(part));
    out.shards.push_back({{}, std::move(planned.metadata), planned.cost});
  }
  for (int64_t d = 0; d < mesh.device_count(); ++d) {
    const int64_t place = mesh.coordinate(DeviceId(d), index);
    out.shards[static_cast<size_t>(place)].devices.push_back(DeviceId(d));
  }
  measure_balance(out);
  return out;
}

Result<Array> run_expert_parallel(const GroupedProblem& problem, const ExpertParallel& experts,
                                  const Array& lhs, const Array& rhs, const Workers& workers,
                                  const std::stop_token& stop) {
  const bool rows = problem.op == GroupedOp::gmm;
  const int64_t groups = static_cast<int64_t>(problem.group_sizes.size());
  Array out = Array::allocate(problem.options.out_type, rows ? std::vector{problem.m, problem.n}
                                                             : std::vector{groups, problem.k, problem.n});
  std::memset(out.mutable_data(), 0, static_cast<size_t>(out.bytes()));
  for (const ExpertShard& shard : experts.shards) {
    const GroupMetadata& meta = shard.metadata;
    GroupedOptions options = problem.options;
    options.existing_out.reset();
    options.group_offset = meta.group_offset;
    options.local_groups = meta.local_groups;
    const Array own = rows ? own_matrices(rhs, meta.group_offset, meta.local_groups) : rhs;
    TRY(const GroupedResult part, rows ? gmm(lhs, own, problem.group_sizes, options, workers, stop)
                                       : tgmm(lhs, own, problem.group_sizes, options, workers, stop));
    // A sum in which all but one term are 0 is that term.
    const int64_t line = rows ? stored_bytes(out.type(), problem.n) : part.out.bytes() / meta.local_groups;
    const int64_t first = rows ? meta.first_row() : 0, last = rows ? meta.last_row() : meta.local_groups;
    const int64_t at = rows ? first : meta.group_offset;
    std::memcpy(out.mutable_data() + at * line, part.out.data() + first * line,
                static_cast<size_t>((last - first) * line));
  }
  return out;
}

}  // namespace shardscope::inline grouped
