// SPDX-License-Identifier: Apache-2.0
// Runs a module on one device and its partitioned form on all, on the same numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/base/result.h"
#include "engine/numerics/array/array.h"
#include "engine/numerics/rules/run_limits.h"
#include "engine/partition/entry/partition.h"

namespace shardscope::inline session {

// One array per parameter of the module's entry: small whole numbers, a function of (seed, parameter,
// element); what reductions start from is their operation's identity (initial_values). Errors: a parameter
// that is no array; more bytes than this machine has.
Result<std::vector<Array>> module_arguments(const Program& module, uint64_t seed, const Workers& workers);

// One device's tile of a whole array; padded as run_partitioned says.
Array tile_array(const Array& whole, const HloSharding& sharding, DeviceId device);

// The leaves of the entry's root, on one device. Errors name what cannot be run.
Result<std::vector<Array>> run_module(const Program& module, const std::vector<Array>& arguments,
                                      const Workers& workers, const RunLimits& limits);

// The leaves of the result, put together from all devices' tiles. Tiles of the arguments are padded with NaN
// (whole numbers: 85), so what reads padding shows. `disagreement`: devices that should hold the same hold
// different bits.
struct PartitionedResult {
  std::vector<Array> leaves;
  std::string disagreement;
  double wall_s = 0;  // of executing the program alone
};
Result<PartitionedResult> run_partitioned(const Partitioned& partitioned, const std::vector<Array>& arguments,
                                          const Workers& workers, const RunLimits& limits);

// What a program gives as far as it can be known here: leaves of its result, empty where they cannot, and by
// leaf why; "": it is known.
struct KnownResult {
  std::vector<Array> leaves;
  std::vector<std::string> unknown;
  std::string disagreement;
  double wall_s = 0;
  std::map<std::string, std::string> stopped;  // instructions without meaning, and why
  int64_t instructions = 0;                    // of the entry that do not depend on those
  std::optional<Program> program;              // that gives the leaves that are known; none: the whole one
};
// The leaves that are known of those that `run` gives of the program, or of as much of it as has a meaning:
// what it cannot run is left out and the rest tried again.
using RunProgram =
    std::function<Result<PartitionedResult>(const Program& program, const std::vector<size_t>& leaves)>;
Result<KnownResult> run_known(const Program& program, const RunProgram& run);
using RunPartitioned = std::function<Result<PartitionedResult>(const Partitioned& part)>;
Result<KnownResult> run_known(const Partitioned& whole, const RunPartitioned& run);
// `program`, which gives those leaves of its result only.
Partitioned with_leaves(const Partitioned& whole, const Program& program, const std::vector<size_t>& leaves);

}  // namespace shardscope::inline session
