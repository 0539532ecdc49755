// SPDX-License-Identifier: Apache-2.0
// What the tests of strategies share: planning, and counting a plan's communication from its own text.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "engine/base/text.h"
#include "engine/program/analysis/analysis.h"
#include "engine/strategies/strategy.h"

namespace shardscope::testing {

struct MeshSize {
  int64_t rows, cols;
};

// The meshes on which the algorithms were first tried (rows x cols).
inline const std::vector<MeshSize> kMeshes = {{1, 1}, {1, 4}, {4, 1}, {1, 8}, {8, 1}, {2, 2}, {2, 4}, {4, 2},
                                              {3, 3}, {2, 3}, {3, 2}, {1, 3}, {3, 1}, {4, 4}, {6, 2}, {5, 1}};

inline Mesh mesh_of(const std::string& text) {
  auto mesh = Mesh::parse(text);
  EXPECT_TRUE(mesh.ok()) << text;
  return mesh.ok() ? *mesh : Mesh();
}

inline Mesh row_col(MeshSize size) {
  return mesh_of("row=" + std::to_string(size.rows) + ",col=" + std::to_string(size.cols));
}

// A strategy of two roles at most, on a mesh of two axes; one that needs as many rows as columns says so.
inline bool needs_square(const Strategy& strategy) {
  return std::ranges::count(needs_of(strategy), "rows = cols") > 0;
}
inline bool fits(const Strategy& strategy, MeshSize size) {
  return strategy.roles.size() <= 2 && (size.rows == size.cols || !needs_square(strategy));
}

inline Result<Program> plan(std::string_view id, const Mesh& mesh, const MatmulProblem& problem,
                            const StrategyOptions& options = {}) {
  auto strategy = find_strategy(id);
  return strategy.ok() ? (*strategy)->plan(mesh, problem, options) : Result<Program>(strategy.error());
}

inline std::string refusal(std::string_view id, const std::string& mesh, int64_t m, int64_t k, int64_t n,
                           const StrategyOptions& options = {}) {
  const auto program = plan(id, mesh_of(mesh), {m, k, n}, options);
  return program.ok() ? "planned" : program.error().text();
}

// Elements that one device sends over each axis in the mean, counting the transfers of ring and chain
// schedules: all-gather (n-1)s, reduce-scatter (n-1)t/n, all-reduce 2(n-1)t/n; of a broadcast or a rooted
// all-reduce all but one member of a group send the whole array once; collective-permute s from each device
// that has another target than itself. A permute along several axes is under "row,col".
inline std::map<std::string, double> sent_by_axis(const Program& program) {
  std::map<std::string, double> sent;
  const Computation& entry = program.entry_computation();
  for (const Instruction& i : entry.instructions) {
    if (!is_collective(i.opcode)) continue;
    const auto axes = collective_axes(program, i);
    EXPECT_FALSE(axes.empty()) << i.name;
    double n = 1;
    for (const std::string& axis : axes)
      n *= static_cast<double>(program.mesh.axis_size(*program.mesh.axis_index(axis)));
    const auto elements = static_cast<double>(entry.at(i.operands.at(0)).shape.element_count());
    double& total = sent[join(axes, ",")];
    switch (i.opcode) {
      case Opcode::ragged_all_to_all: {
        const auto group = device_groups(program, i).front();
        const auto sizes = ragged_sizes(program, i, group);
        EXPECT_TRUE(sizes.ok()) << i.name;
        for (size_t at = 0; sizes.ok() && at < sizes->size(); ++at) {
          const bool leaves = at / group.size() != at % group.size();
          const auto row = static_cast<double>(i.shape.element_count() / i.shape.dims[0]);
          if (leaves) total += static_cast<double>((*sizes)[at]) * row / n;
        }
        break;
      }
      case Opcode::all_gather:
        total += (n - 1) * elements;
        break;
      case Opcode::all_to_all:
      case Opcode::reduce_scatter:
      case Opcode::collective_broadcast:
        total += (n - 1) * elements / n;
        break;
      case Opcode::all_reduce:
        total += (i.rooted ? 1 : 2) * (n - 1) * elements / n;
        break;
      case Opcode::collective_permute: {
        int64_t senders = 0;
        for (const SourceTarget& pair : i.permutation->pairs()) senders += pair.source != pair.target ? 1 : 0;
        total += elements * static_cast<double>(senders) / static_cast<double>(program.mesh.device_count());
        break;
      }
      default:
        ADD_FAILURE() << "unexpected collective " << i.name;
    }
  }
  return sent;
}

inline double flops_per_device(const Program& program) {
  double flops = 0;
  for (const Instruction& i : program.entry_computation().instructions) {
    flops += dot_flops(program.entry_computation(), i);
  }
  return flops;
}

inline int64_t count(const Program& program, Opcode opcode) {
  int64_t n = 0;
  for (const Instruction& i : program.entry_computation().instructions) n += i.opcode == opcode ? 1 : 0;
  return n;
}

}  // namespace shardscope::testing
