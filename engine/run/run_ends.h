// SPDX-License-Identifier: Apache-2.0
// From which arrays, lying how, a run goes to which: what decides beside which others it can be put.
#pragma once

#include <string>
#include <vector>

namespace shardscope::inline run {

struct Run;

// An array as it lies before or after a run.
struct PlacedArray {
  std::string name;      // "X"
  std::string sharding;  // "P('row','col')" of X[m,k], W[k,n], Y[m,n], however they are stored
  bool operator==(const PlacedArray&) const = default;
};

struct RunEnds {
  std::vector<PlacedArray> inputs, outputs;
  bool operator==(const RunEnds&) const = default;
};
// Of a strategy its program's; of a module those of its parameters and results.
RunEnds ends_of(const Run& run);
std::string text(const std::vector<PlacedArray>& arrays);  // "X P('row','col'), W P('row',None)"

// What a module was given and gives: modules of one name, signature and number of devices are rivals.
struct ModuleFace {
  std::string signature;  // "(f32[8,16], f32[16,4]) -> f32[8,4] on 8 devices"
  RunEnds ends;
  std::vector<std::string> warnings{};  // what its partitioning should not have needed; one sentence each
  bool operator==(const ModuleFace&) const = default;
};

// Runs with one key are compared as they are: the same problem, shardings before and after, chip, links,
// wraps, overlap, overrides, kernels' times and type of sums. A hash of all that, as text.
std::string group_key(const Run& run);

}  // namespace shardscope::inline run
