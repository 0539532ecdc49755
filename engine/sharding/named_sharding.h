// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/mesh/mesh.h"
#include "engine/sharding/partition_spec.h"

namespace shardscope::inline sharding {

// [start, stop) of one dimension of a global array.
struct IndexRange {
  int64_t start = 0;
  int64_t stop = 0;
  int64_t size() const { return stop - start; }
  auto operator<=>(const IndexRange&) const = default;
};

// One IndexRange per dimension.
using IndexBox = std::vector<IndexRange>;

// A PartitionSpec on a mesh. Invariant: its axes exist, none is used twice, and `unreduced` axes (the devices
// along them hold partial sums) are not used in the spec.
class NamedSharding {
 public:
  NamedSharding() = default;
  static Result<NamedSharding> make(Mesh mesh, PartitionSpec spec, std::vector<std::string> unreduced = {});

  const Mesh& mesh() const { return mesh_; }
  const PartitionSpec& spec() const { return spec_; }
  const std::vector<std::string>& unreduced() const { return unreduced_; }
  // Into how many shards dimension `dim` is split.
  int64_t shards(size_t dim) const;
  // Refuses a rank below the spec's and a dimension that its axes do not divide, as JAX does.
  Result<std::vector<int64_t>> shard_shape(const std::vector<int64_t>& global) const;
  // Which shard of dimension `dim` `device` holds, in [0, shards(dim)).
  int64_t shard_index(DeviceId device, size_t dim) const;
  // The part of an array of shape `global` that `device` holds. CHECKs that shard_shape(global) is fine.
  IndexBox slices(DeviceId device, const std::vector<int64_t>& global) const;
  // Devices that hold the same shard: product of the sizes of the axes that the spec does not name.
  int64_t replicas() const;
  bool operator==(const NamedSharding&) const = default;

 private:
  Mesh mesh_;
  PartitionSpec spec_;
  std::vector<std::string> unreduced_;
  std::vector<std::vector<int>> axes_;  // spec_ by axis position
};

}  // namespace shardscope::inline sharding
