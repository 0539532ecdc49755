// SPDX-License-Identifier: Apache-2.0
// Runs a module on one device and its partitioned form on all, on the same numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/base/result.h"
#include "engine/numerics/array/array.h"
#include "engine/partition/entry/partition.h"

namespace shardscope {

// One array per parameter of the module's entry: small whole numbers, a function of (seed, parameter,
// element); what reductions start from is their operation's identity (initial_values). Errors: a parameter
// that is no array; more bytes than this machine has.
Result<std::vector<Array>> module_arguments(const Program& module, uint64_t seed, const Workers& workers);

// One device's tile of a whole array; padded as run_partitioned says.
Array tile_array(const Array& whole, const HloSharding& sharding, DeviceId device);

// The leaves of the entry's root, on one device. Errors name what cannot be run.
Result<std::vector<Array>> run_module(const Program& module, const std::vector<Array>& arguments,
                                      const Workers& workers, std::stop_token stop);

// The leaves of the result, put together from all devices' tiles. Tiles of the arguments are padded with NaN
// (whole numbers: 85), so what reads padding shows. `disagreement`: devices that should hold the same hold
// different bits.
struct PartitionedResult {
  std::vector<Array> leaves;
  std::string disagreement;
  double wall_s = 0;  // of executing the program alone
};
Result<PartitionedResult> run_partitioned(const Partitioned& partitioned, const std::vector<Array>& arguments,
                                          const Workers& workers, std::stop_token stop);

}  // namespace shardscope
