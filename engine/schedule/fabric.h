// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/mesh/mesh.h"
#include "engine/run/timeline.h"
#include "engine/schedule/moment.h"

namespace shardscope {

// One link of a transfer's way.
struct Hop {
  int32_t device = 0;  // whose lane it is
  int32_t lane = 0;
  int32_t next = 0;  // the device at its other end
};

// Devices, their lanes and the ways between them. On a torus or line a way goes axis by axis, each the
// shorter way round; chips stand as Mesh::chip_of says.
class Fabric {
 public:
  static Result<Fabric> make(const Mesh& mesh, const Hardware& hardware);

  const std::vector<Lane>& lanes() const { return lanes_; }
  int32_t lane_count() const { return static_cast<int32_t>(lanes_.size()); }
  int32_t copy_lane() const { return lane_count() - 1; }
  int32_t devices() const { return devices_; }
  bool has_port() const { return topology_ == Topology::switch_; }
  bool has_pair_links() const { return topology_ == Topology::full; }
  bool all_pairs() const { return has_port() || has_pair_links(); }
  bool axis_wraps(int axis) const { return wraps_[static_cast<size_t>(axis)]; }

  // The first link from `from` towards `to` (!= from). `direction` decides when both ways round are equally
  // long.
  Hop next_hop(int32_t from, int32_t to, int direction) const;
  // What a message of `bytes` takes on one link: α + bytes/β. Needs link_error() to be none.
  Cost link_cost(int64_t bytes) const;
  // Whether transfers can be timed: latency and bandwidth are published.
  Result<void> link_error() const { return link_error_; }

 private:
  Topology topology_ = Topology::torus;
  int32_t devices_ = 1;
  std::vector<Lane> lanes_;
  std::vector<int32_t> chip_of_, device_of_;
  std::vector<int32_t> coordinates_;  // [chip · axes + axis]
  std::vector<int32_t> sizes_, strides_, first_lane_;
  std::vector<bool> wraps_;
  Picoseconds latency_ = 0;
  double bytes_per_s_ = 1;
  Result<void> link_error_;
};

}  // namespace shardscope
