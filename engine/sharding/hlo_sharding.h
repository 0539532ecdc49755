// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/rare.h"
#include "engine/base/result.h"
#include "engine/sharding/named_sharding.h"

namespace shardscope::inline sharding {

// XLA's tile assignment: an array of logical device ids of shape `dims`, written as a list (V1) or as an iota
// that is reshaped and transposed (V2): arange(prod).reshape(reshape).transpose(perm).reshape(dims).
struct TileAssignment {
  std::vector<int64_t> dims;
  Rare<std::vector<int64_t>> devices;  // row-major over dims; many arrays share one list
  // V1 and V2 of the same contents are equal.
  bool operator==(const TileAssignment&) const = default;
};

// Parses "[2,4]<=[8]", "[2,2]<=[2,2]T(1,0)" or "[2,2]0,2,1,3" (the part behind devices=, or replica_groups'
// iota form). At most Mesh::kMaxDevices devices.
Result<TileAssignment> parse_tile_assignment(std::string_view text);
// "mesh['x'=2,'y'=4] {'y'}": replica groups along axes, groups × members; devices as in
// parse_tile_assignment.
Result<TileAssignment> parse_axis_groups(std::string_view text);
// The canonical V2 text when the contents are a transposed iota, else V1.
std::string tile_assignment_text(const TileAssignment& tiles);
// By device id: its place in `devices`, -1 when it is not there.
std::vector<int64_t> tile_places(const TileAssignment& tiles);

// One XLA sharding: {replicated}, {maximal device=3}, {manual}, {unknown}, {unreduced} or tiled
// {devices=[2,1,2]<=[4] last_tile_dim_replicate}. The last `subgroups.size()` tile dimensions are subgroups.
struct HloSharding {
  enum class Kind { replicated, maximal, manual, unknown, unreduced, tiled };
  enum class Subgroup { replicated, manual, unreduced };

  Kind kind = Kind::replicated;
  int64_t device = -1;  // of maximal
  TileAssignment tiles;
  std::vector<Subgroup> subgroups;
  std::string shard_group;  // "shard_as 3" or "shard_like 3", else empty

  // metadata={...} is read over. V1 and V2 text, tokens in any order, and V3 on named axes,
  // {mesh['a'=2,'b'=4], [{'a'}, {'b':(1)2}]}; errors say column and what was expected.
  static Result<HloSharding> parse(std::string_view text);
  // The sharding of a tuple, "{{replicated}, {devices=[2]<=[2]}}": one per leaf, in pre-order.
  static Result<std::vector<HloSharding>> parse_tuple(std::string_view text);
  std::string text() const;  // canonical, as XLA prints it

  // XLA's own conversion (named_sharding_to_xla_hlo_sharding).
  static HloSharding from(const NamedSharding& sharding, size_t rank);
  // The PartitionSpec that gives this sharding on `mesh`, or why none does.
  Result<NamedSharding> to_named(const Mesh& mesh) const;

  // The same of an array whose partial sums are added up: unreduced devices hold copies.
  HloSharding added_up() const;

  size_t data_rank() const { return kind == Kind::tiled ? tiles.dims.size() - subgroups.size() : 0; }
  int64_t device_count() const;  // 0 when it names none
  // Whether an array of this shape can have this sharding: ranks agree, nothing is negative.
  Result<void> accepts(const std::vector<int64_t>& global) const;
  // Both CHECK accepts(global). Tile shape ceil(dim/shards); trailing shards may be short or empty (stop <=
  // start), as XLA pads.
  std::vector<int64_t> tile_shape(const std::vector<int64_t>& global) const;
  // A device that the sharding does not name holds nothing: empty ranges.
  IndexBox slices(DeviceId device, const std::vector<int64_t>& global) const;
  bool operator==(const HloSharding&) const = default;
};

}  // namespace shardscope::inline sharding
