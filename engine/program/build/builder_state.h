// SPDX-License-Identifier: Apache-2.0
// What an SpmdBuilder knows while it writes; its sources share it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/program/build/builder.h"

namespace shardscope {

struct SpmdBuilder::State {
  std::string strategy;
  Mesh mesh;
  MatmulProblem problem;
  ElementType accumulation = ElementType::f32;  // of products and their sums
  std::map<std::string, std::string> roles;
  std::optional<ElementType> result_type;  // of finish(); the problem's when not set
  std::optional<Error> error;

  std::vector<Computation> reducers;
  Computation entry;
  std::vector<ArrayInfo> inputs;
  std::vector<HomeCoordinate> home;
  std::vector<ArrayInfo> further_outputs;
  std::vector<InstructionId> further_results;  // their values
  std::vector<std::string> definitions;
  std::vector<std::pair<std::string, std::string>> choices;
  Provenance provenance;
  int next_step = 0;
  InstructionId after;  // what communication waits for
  int64_t next_channel = 1;

  std::map<std::string, int> names;              // base -> last number given
  std::map<std::string, InstructionId> scalars;  // by their text, so that equal ones are one
  std::map<InstructionId, Range> ranges;         // of scalars, over all devices
  std::map<int, ReplicaGroups> groups;           // by axis
  std::map<std::pair<int, std::vector<int64_t>>, ReplicaGroups> rooted_groups;  // by axis and roots
  std::map<std::vector<SourceTarget>, std::shared_ptr<const Permutation>> permutations;
  std::map<std::pair<int, int64_t>, std::shared_ptr<const Permutation>> shifts;  // by axis and distance

  std::optional<int> axis(std::string_view role) const;
  std::string unique_name(const std::string& base) { return base + "." + std::to_string(++names[base]); }
  PartitionSpec with_axes(const PartitionSpec& roles_spec) const;
  ComputationId reducer(ElementType type);
  const ReplicaGroups& groups_of(int axis_position);
  std::shared_ptr<const Permutation> shift_of(int axis_position, int64_t distance);
};

}  // namespace shardscope
