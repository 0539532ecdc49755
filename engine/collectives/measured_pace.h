// SPDX-License-Identifier: Apache-2.0
// Collectives that a row of link.ops times.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/collectives/collective.h"
#include "engine/hardware/cost.h"
#include "engine/hardware/fabric.h"
#include "engine/hardware/hardware.h"
#include "engine/mesh/mesh.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline collectives {

// The row for a collective in these groups: links of one level only, so none where a group's devices are of
// several nodes. Permutes: measured_permute.
const LinkOp* measured_row(const Hardware& hardware, const Fabric& fabric, CollectiveKind kind,
                           const std::vector<std::vector<int32_t>>& groups);
// Of groups that span nodes, with as many devices on each: the row for as many devices as one node has of
// them. Null: none, or within one node.
const LinkOp* row_within_nodes(const Hardware& hardware, const Fabric& fabric, CollectiveKind kind,
                               const std::vector<std::vector<int32_t>>& groups);
// The group of a permute are the devices of the mesh axes along which it moves something.
const LinkOp* measured_permute(const Hardware& hardware, const Fabric& fabric, const Mesh& mesh,
                               const CollectiveSchedule& schedule);

// The largest group of a kind that was measured, of those of as many devices or fewer; none: no size was.
std::optional<int64_t> largest_measured_group(const Hardware& hardware, CollectiveKind kind, int64_t ranks);

// The algorithm that rates are measured as those of: of every kind the ring, of exchanges the direct one.
CollectiveAlgorithm measured_algorithm(CollectiveKind kind);
// Between nodes: exchanges directly, others by the hierarchical one.
CollectiveAlgorithm measured_between_nodes(CollectiveKind kind);

// Bytes of the array on one device, before or after, whichever is more. `whole`: as collective_bytes.
double device_bytes(CollectiveKind kind, int64_t whole, int64_t ranks);

// What the busiest port or link sends of a whole array, as a share of it; `members`: devices by rank.
double busiest_share(const CollectiveSchedule& schedule, const Fabric& fabric,
                     const std::vector<int32_t>& members);

// How long a collective's launch and messages take by its row. A ramp makes every message longer by the same
// share, so that what the busiest port sends takes counted bytes / rate + ramp in all.
//
// On a switch the latency that was measured of a group is the machine's, whatever goes over it: before its
// first message another algorithm waits as long as the measured one does in all its steps, on a larger group
// as long as on the largest that was measured; only steps that it has more of take theirs on top.
struct MeasuredPace {
  const LinkOp* op = nullptr;
  double launch_s = 0;
  LinkPace link;
};

// Whether anything in the program multiplies arrays.
bool has_products(const Program& program);

// Between nodes a library's rings and trees leave by all network cards of a node, and nodes and network work
// at once. So a collective takes the longer of what it takes within a node, by the row for the devices of one
// node, and of what its messages take on the network: of rings (n − 1)/n of the array over the cards of a
// node, twice that of an all-reduce, of trees, which an all-reduce on two nodes goes by, the array once.
// NCCL 2.30, src/graph/tuning.cc. The hierarchical schedule stands for all of them: what it sends within
// nodes and, after that, between them is paced so that both together take that long. An exchange goes
// directly and waits for either. Other algorithms wait as long before their first message, as within a node.
//
// Finds them for the collectives of a program: of a schedule its messages are looked through once. Rows with
// parts are of a library's calls; beside products permutes go as the links say, which is near what was
// measured of rings that overlap with products: kernels that write to their neighbours' memory.
class MeasuredPaces {
 public:
  // Of a program without products.
  MeasuredPaces(const Hardware& hardware, const Fabric& fabric, const Mesh& mesh)
      : hardware_(hardware), fabric_(fabric), mesh_(mesh) {}
  MeasuredPaces(const Hardware& hardware, const Fabric& fabric, const Program& program)
      : hardware_(hardware), fabric_(fabric), mesh_(program.mesh), beside_products_(has_products(program)) {}
  // None: no row, or nothing to send. Needs fabric.link_error() to be none.
  std::optional<MeasuredPace> of(const CollectiveSchedule& schedule,
                                 const std::vector<std::vector<int32_t>>& groups, int64_t whole);

 private:
  struct Sent {
    double busiest_share = 0;
    bool one_peer = false;
  };
  std::optional<MeasuredPace> between_nodes(const CollectiveSchedule& schedule,
                                            const std::vector<std::vector<int32_t>>& groups, int64_t whole);
  void keep_latency(const CollectiveSchedule& schedule, MeasuredPace& pace) const;

  const Hardware& hardware_;
  const Fabric& fabric_;
  const Mesh& mesh_;
  bool beside_products_ = false;
  std::map<const CollectiveSchedule*, Sent> sent_;
  std::map<const CollectiveSchedule*, bool> goes_between_nodes_;  // as measured_between_nodes
};

}  // namespace shardscope::inline collectives
