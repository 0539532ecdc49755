// SPDX-License-Identifier: Apache-2.0
// How the collectives of a program are carried out on a machine: the one place that lowers them.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"
#include "engine/collectives/group_place.h"
#include "engine/plan/algorithm_chooser.h"
#include "engine/program/ir/program.h"
#include "engine/run/timed_collective.h"

namespace shardscope::inline planner {

// Groups of so many devices.
std::shared_ptr<const CollectiveGroups> numbered(std::vector<std::vector<int32_t>> members, int32_t devices);

struct PlannedCollective {
  TimedCollective timed;
  std::vector<int> mesh_axes;  // as GroupPlace says them
  std::vector<int32_t> rank_axes;
  std::string why;      // `auto` chose the algorithm
  std::string ignored;  // what was asked for is none for this kind
};

// Like collectives are looked at once and share groups and schedule: one schedule for each kind, shape of
// group, size and algorithm.
class CollectivePlanner {
 public:
  struct Machine {
    const Hardware& hardware;
    const Fabric& fabric;
  };
  // `fastest`: where answers are looked up and go; outlives it.
  CollectivePlanner(const Program& program, const Machine& machine, CollectiveAlgorithm asked,
                    AlgorithmChooser& fastest, std::stop_token stop = {})
      : program_(program),
        entry_(program.entry_computation()),
        hardware_(machine.hardware),
        fabric_(machine.fabric),
        asked_(asked),
        fastest_(fastest),
        stop_(std::move(stop)) {}

  // Errors: groups of different sizes, an algorithm that is not legal on them, cancelled.
  Result<PlannedCollective> plan(InstructionId collective);

  struct Found {
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::automatic;
    std::string why, ignored;
  };
  // The instruction's own word; else what was asked for, if it is a word for this kind; else the fastest: on
  // a switch where groups of its size were measured, the algorithm that they were measured as.
  Result<Found> algorithm_of(const Instruction& collective);
  // What has to be known before for algorithm_of to play nothing, if anything.
  std::optional<CollectiveQuery> asks(const Instruction& collective);

 private:
  using Shape = CollectiveShape;
  struct Lowered {
    Shape shape;
    CollectiveAlgorithm algorithm;
    std::shared_ptr<const CollectiveSchedule> schedule;
  };
  std::optional<AlgorithmChooser::Choice> fastest(const Instruction& collective);  // none: told to stop
  CollectiveQuery query_of(const Instruction& collective);
  std::optional<Found> measured(const Instruction& collective);
  std::optional<Found> best(
      const Instruction& collective);  // as measured, else the fastest; none: told to stop
  Result<Found> nccl_or_best(const Instruction& collective);
  Result<std::shared_ptr<const CollectiveSchedule>> lowered(const Shape& shape,
                                                            CollectiveAlgorithm algorithm);
  struct Group {
    const ReplicaGroups* said = nullptr;
    std::shared_ptr<const CollectiveGroups> groups;
    GroupPlace place;  // of the first of them
  };
  const Group& group_of(const Instruction& collective);
  Group make_group(const Instruction& collective) const;
  Shape shape_of(const Instruction& collective);
  void plan_permute(const Instruction& collective, PlannedCollective& out);
  Result<void> plan_ragged(const Instruction& collective, PlannedCollective& out);
  Result<void> plan_group(const Instruction& collective, PlannedCollective& out);

  const Program& program_;
  const Computation& entry_;
  const Hardware& hardware_;
  const Fabric& fabric_;
  CollectiveAlgorithm asked_;
  AlgorithmChooser& fastest_;
  std::stop_token stop_;
  std::vector<Lowered> lowered_;
  std::deque<Group> groups_;  // that differ
  // Most instructions that say the same share it: what is there needs no second look.
  std::unordered_map<const ReplicaGroups*, const Group*> group_at_;
  std::map<const Permutation*, std::shared_ptr<const CollectiveSchedule>> permutes_;
  std::shared_ptr<const CollectiveGroups> everyone_;
};

}  // namespace shardscope::inline planner
