// SPDX-License-Identifier: Apache-2.0
// What it costs to bring a run's inputs from the experiment's own shardings and its result back there:
// programs of the partitioner, timed by the scheduler like the run itself.
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/request/experiment.h"
#include "engine/run/price.h"
#include "engine/run/run.h"
#include "engine/schedule/fastest.h"

namespace shardscope::inline session {

// How X[m,k], W[k,n] and Y[m,n] lie where an experiment begins and ends.
struct OwnShardings {
  PartitionSpec lhs, rhs, out;
  bool operator==(const OwnShardings&) const = default;
};
// What its runs' in-lhs, in-rhs and out-spec say, where those that say one agree; else over (row, col), the
// first two axes of `mesh`.
OwnShardings own_shardings(const Experiment& experiment, const Mesh& mesh);

// An array on its way between two shardings, and all that its time depends on.
struct ArrayMove {
  std::string array;
  bool is_result = false;
  Mesh mesh;
  MatmulProblem problem;
  Shape shape;  // of the whole array
  PartitionSpec from, to;
  std::vector<std::string> unreduced;  // of a result: axes along which it is still partial sums
  std::vector<HomeCoordinate> home;    // of a result: where alone it lies
  Hardware hardware;
  HardwareOverrides overrides;
  CollectiveAlgorithm collective = CollectiveAlgorithm::automatic;
  bool overlap = true;
  std::string key;  // says all of these in words
};
// Of X, W and Y those that lie otherwise in the program; none where it is no product of X and W.
std::optional<std::vector<ArrayMove>> moves_of(const Program& program, const Request& request,
                                               const Hardware& hardware);

// By the faster of two plans: the partitioner's, tile by tile, and one of whole mesh axes.
struct MoveTime {
  std::string verb;
  Picoseconds time = 0;
};
// `fastest`: where answers are looked up and go.
Result<MoveTime> time_of(const ArrayMove& move, FastestAlgorithms& fastest, std::stop_token stop);

// Times of moves that were met before: the same pairs of shardings come again in every sweep.
class PriceBook {
 public:
  // None where no price can be had: what is no product, and chips that do not say how fast their links are.
  // Error: cancelled.
  Result<std::optional<Price>> price(const Program& program, const Request& request, const Hardware& hardware,
                                     std::stop_token stop);
  bool knows(const ArrayMove& move) const { return times_.contains(move.key); }
  void learn(const ArrayMove& move, Result<MoveTime> time) { times_.emplace(move.key, std::move(time)); }
  std::optional<Price> sum(const std::vector<ArrayMove>& moves) const;  // all of them known

 private:
  std::map<std::string, Result<MoveTime>> times_;
  FastestAlgorithms fastest_{FastestAlgorithms::Reasons::left_out};
};

// A run of a record that was made before prices were, with its price; others as they are.
Result<RunPtr> with_price(const RunPtr& run, std::stop_token stop);

}  // namespace shardscope::inline session
