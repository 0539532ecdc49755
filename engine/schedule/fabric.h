// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/result.h"
#include "engine/collectives/choose.h"
#include "engine/hardware/hardware.h"
#include "engine/hardware/overrides.h"
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

// Devices, their lanes and the ways between them; chips stand as Mesh::chip_of says.
//   torus, line: a way goes axis by axis, each the shorter way round. Where that meets a broken link, the
//   message
//     takes a shortest way over whole ones.
//   switch: one port per device. full: a link per pair.
//   two-level: chips [k·node, (k+1)·node) are a node; within it one port per device (link.*), between nodes
//   one
//     network port per device (network.*), as machines with a network card per accelerator have.
class Fabric {
 public:
  // Errors: an override of a chip or link that is not there.
  static Result<Fabric> make(const Mesh& mesh, const Hardware& hardware,
                             const HardwareOverrides& overrides = {});

  const std::vector<Lane>& lanes() const { return lanes_; }
  int32_t lane_count() const { return static_cast<int32_t>(lanes_.size()); }
  int32_t copy_lane() const { return lane_count() - 1; }
  int32_t devices() const { return devices_; }
  bool has_port() const { return topology_ == Topology::switch_ || topology_ == Topology::two_level; }
  bool has_pair_links() const { return topology_ == Topology::full; }
  bool all_pairs() const { return has_port() || has_pair_links(); }
  bool axis_wraps(int axis) const { return wraps_[static_cast<size_t>(axis)]; }
  // Chips of a node of a two-level machine; 0: one level.
  int32_t node() const { return node_; }
  int32_t chip_of(int32_t device) const { return chip_of_[static_cast<size_t>(device)]; }
  bool has_overrides() const { return !speeds_.empty() || !slow_links_.empty(); }

  // The first link from `from` towards `to` (!= from). `direction` decides when both ways round are equally
  // long.
  Hop next_hop(int32_t from, int32_t to, int direction) const;
  // Share of the normal speed of a device's products and memory.
  double speed(int32_t device) const {
    return speeds_.empty() ? 1 : speeds_[static_cast<size_t>(chip_of(device))];
  }
  // Links of one class take equally long: 0 normal, 1 the network between nodes, others slow.
  int32_t link_class(const Hop& hop) const;
  int32_t link_classes() const { return static_cast<int32_t>(classes_.size()); }
  // What a message of `bytes` takes on one link: α + bytes/β. Needs link_error() to be none.
  Cost link_cost(int64_t bytes, int32_t link_class = 0) const;
  // Whether transfers can be timed: latency and bandwidth are published, every chip can be reached.
  Result<void> link_error() const { return link_error_; }
  // What `auto` is chosen by.
  LinkCosts link_costs() const;

 private:
  struct LinkClass {
    Picoseconds latency = 0;
    double bytes_per_s = 1;
  };
  struct SlowLink {
    int32_t a = 0, b = 0;    // chips
    int32_t link_class = 0;  // -1: broken
  };
  void add_lanes(const Mesh& mesh);
  void place_chips(const Mesh& mesh);
  Result<void> apply(const HardwareOverrides& overrides);
  Result<void> check_links(const Hardware& hardware);
  bool neighbours(int32_t a, int32_t b) const;
  const SlowLink* slow_link(int32_t chip, int32_t other) const;
  // On the torus, by chips; lane and chip at the other end.
  struct ChipHop {
    int32_t lane = 0;
    int32_t next = 0;
  };
  ChipHop axis_hop(int32_t chip, size_t axis, bool up) const;
  ChipHop straight_hop(int32_t chip, int32_t goal, int direction) const;
  bool straight_way_is_whole(int32_t chip, int32_t goal, int direction) const;
  std::vector<ChipHop> whole_links(int32_t chip) const;
  std::vector<int32_t> distances_to(int32_t goal) const;
  ChipHop chip_hop(int32_t chip, int32_t goal, int direction) const;

  Topology topology_ = Topology::torus;
  int32_t devices_ = 1;
  int32_t node_ = 0;
  std::vector<Lane> lanes_;
  std::vector<int32_t> chip_of_, device_of_;
  std::vector<int32_t> coordinates_;  // [chip · axes + axis]
  std::vector<int32_t> sizes_, strides_, first_lane_;
  std::vector<bool> wraps_;
  std::vector<double> speeds_;  // by chip; empty: all normal
  std::vector<SlowLink> slow_links_;
  bool has_broken_ = false;
  std::vector<LinkClass> classes_;
  Result<void> link_error_;
};

}  // namespace shardscope
