// SPDX-License-Identifier: Apache-2.0
// The links of a mesh on a chip, and what a message takes on them: schedules, kernels, the choice of
// algorithms, bounds and views ask here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/chip_grid.h"
#include "engine/hardware/cost.h"
#include "engine/hardware/hardware.h"
#include "engine/hardware/lane.h"
#include "engine/hardware/link_faults.h"
#include "engine/hardware/overrides.h"
#include "engine/mesh/axis_way.h"
#include "engine/mesh/mesh.h"

namespace shardscope::inline hardware {

// One link of a transfer's way.
struct Hop {
  int32_t device = 0;  // whose lane it is
  int32_t lane = 0;
  int32_t next = 0;  // the device at its other end
};

// A message on one link: until its last byte is through, until the next link may start (cut-through) and
// until the link is free for others. A port is held while it sends; α comes on top once.
struct LinkTime {
  Cost passes, head, held;
};

// What messages of one collective take on links that are as the chip says, where it was measured: instead of
// the chip's own α and β. Links that are slower or faster by an override are so for them too.
struct LinkPace {
  Picoseconds latency = 0;
  double bytes_per_s = 1;
  double network_bytes_per_s = 0;  // between nodes, at the network's own latency; 0: as the network is
  bool operator==(const LinkPace&) const = default;
};

// The links of one level in seconds, as algorithms are chosen by.
struct LinkCosts {
  double latency_s = 0;    // α, per hop
  double bytes_per_s = 1;  // β, one link in one direction
  // all_pairs: what a device sends shares one port, which holds it for bytes/β (a switch); else every pair of
  // devices has a link.
  bool port = false;
  int32_t level_slices = 1;  // Hardware::Link
  // Between nodes (topology.node > 0): one port per device, or one for all devices of a node.
  double network_latency_s = 0;
  double network_bytes_per_s = 1;
  bool network_port_per_node = false;
  LinkPace own{};  // of the chip as it is, without overrides
  double own_network_bytes_per_s = 0;

  double seconds(double bytes) const { return latency_s + bytes / bytes_per_s; }
  bool operator==(const LinkCosts&) const = default;
};

// Devices, their lanes and the ways between them; chips stand as Mesh::chip_of says.
//   torus, line: a way goes axis by axis, each the shorter way round. Where that meets a broken link, the
//     message takes a shortest way over whole ones.
//   switch: one port per device. full: a link per pair.
//   two-level: chips [k·node, (k+1)·node) are a node; within it one port per device (link.*), between nodes
//     one network port per device (network.*), as machines with a network card per accelerator have.
class Fabric {
 public:
  // Errors: an override of a chip or link that is not there.
  static Result<Fabric> make(const Mesh& mesh, const Hardware& hardware,
                             const HardwareOverrides& overrides = {});

  const std::vector<Lane>& lanes() const { return lanes_; }
  int32_t lane_count() const { return static_cast<int32_t>(lanes_.size()); }
  int32_t copy_lane() const { return lane_count() - 1; }
  int32_t devices() const { return grid_.chips(); }
  bool has_port() const { return topology_ == Topology::switch_ || topology_ == Topology::two_level; }
  bool has_pair_links() const { return topology_ == Topology::full; }
  bool all_pairs() const { return has_port() || has_pair_links(); }
  bool axis_wraps(int axis) const { return grid_.wraps(static_cast<size_t>(axis)); }
  // How many of its neighbours on the axis a device has a link to, at an end of a line one less.
  int directions(int axis) const { return std::min(grid_.size(static_cast<size_t>(axis)), 3) - 1; }
  // Chips of a node of a two-level machine; 0: one level.
  int32_t node() const { return node_; }
  int32_t chip_of(int32_t device) const { return grid_.chip_of(device); }
  bool has_overrides() const { return !speeds_.empty() || !faults_.empty(); }

  // The first link from `from` towards `to` (!= from). `direction` decides when both ways round are equally
  // long.
  Hop next_hop(int32_t from, int32_t to, int direction) const;
  // The device next to `device` on an axis, up (+1) or down; none at the end of one that does not close.
  // Where all pairs are linked, that of the axis's ring.
  std::optional<int32_t> neighbour(int32_t device, int axis, int direction) const;
  // Share of the normal speed of a device's products and memory.
  double speed(int32_t device) const {
    return speeds_.empty() ? 1 : speeds_[static_cast<size_t>(chip_of(device))];
  }
  // Links of one class take equally long: 0 normal, 1 the network between nodes, others of an axis or a link
  // that is not as the chip says.
  int32_t link_class(const Hop& hop) const;
  int32_t link_classes() const { return static_cast<int32_t>(classes_.size()); }
  // What a message of `bytes` takes on one link: α + bytes/β, of a measured collective by its `pace`. Needs
  // link_error() to be none.
  LinkTime link_time(int64_t bytes, int32_t link_class = 0, const LinkPace* pace = nullptr) const;
  // Whether transfers can be timed: latency and bandwidth are published, every chip can be reached.
  Result<void> link_error() const { return link_error_; }
  // What `auto` is chosen by. Needs link_error() to be none.
  LinkCosts link_costs() const;

 private:
  struct LinkClass {
    Picoseconds latency = 0;
    double bytes_per_s = 1;
    double share = 1;  // of the chip's own bandwidth
  };
  void add_lanes(const Mesh& mesh);
  Result<void> change_axes(const Mesh& mesh, const HardwareOverrides& overrides);
  Result<void> check_links(const Hardware& hardware);
  Result<void> slow_down(const HardwareOverrides& overrides);

  Topology topology_ = Topology::torus;
  int32_t node_ = 0;
  ChipGrid grid_;
  std::vector<Lane> lanes_;
  std::vector<int32_t> first_lane_;  // by axis
  std::vector<double> speeds_;       // by chip; empty: all normal
  LinkFaults faults_;
  std::vector<LinkClass> classes_;
  LinkPace own_;
  double own_network_ = 0;  // bytes_per_s
  int32_t level_slices_ = 1;
  std::vector<int32_t> axis_class_;  // by axis
  Result<void> link_error_;
};

// How that many chips are joined: those of a switch that says how many it joins (Hardware::node_devices) and
// what lies between nodes, when they are more, at two levels.
Topology topology_of(const Hardware& hardware, int64_t chips);

// The torus that the mesh's axes make, of links whose speed nobody said.
Fabric torus_of(const Mesh& mesh);

}  // namespace shardscope::inline hardware
