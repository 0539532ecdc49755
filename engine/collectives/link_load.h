// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/collectives/choose.h"

namespace shardscope::inline collectives {

// What the links of a group have to carry in one step. A transfer takes α + bytes/β of every link on its way
// (dimension order, the shorter way round, ties up); a switch port is held for bytes/β, and α comes once.
class LinkLoad {
 public:
  LinkLoad(int32_t ranks, const GroupTopology& topology, const LinkCosts& costs);

  // A step ends when the most loaded link has carried everything and the slowest message has arrived.
  double step_seconds(const CollectiveSchedule& schedule, int32_t step, double whole_bytes);
  // Of the last step: messages on links; of one rank alone, where it can be played for all.
  double step_events() const {
    return static_cast<double>(events_) * (symmetric_ && meets_others_ ? ranks_ : 1);
  }

 private:
  // Where a rank stands on an axis, and where the links of that line of the axis begin: side by side stand
  // those from a place to the next, or to the one before.
  struct Place {
    int32_t at = 0, first_link = 0;
  };
  struct Axis {
    int32_t size, stride;
    bool wraps;
    std::vector<Place> places;  // by rank
  };
  // Of a message on a link: how long it holds it, and how long its bytes pass.
  struct Spans {
    double bytes = -1, holds = 0, passes = 0;
  };
  void add(const Transfer& transfer, double bytes);
  void add_hops(int32_t from, int32_t to, int direction, double bytes);
  void load(std::vector<double>& links, size_t begin, size_t end, double seconds);
  double largest() const;

  int32_t ranks_;
  GroupTopology topology_;
  LinkCosts costs_;
  std::vector<Axis> axes_;
  bool symmetric_ = false;  // the step's: what one rank loads in all is what every link carries
  // Of each axis and way, the load that begins at a place minus that which ends before it.
  std::vector<std::vector<double>> links_;
  std::vector<double> ports_;  // of devices, then of nodes or devices into the network
  Spans message_;              // of the last one: messages of one size are the rule
  double slowest_ = 0;
  int64_t events_ = 0;         // of one rank when all are alike
  bool meets_others_ = false;  // a message passes links of other ranks, or waits for others at a port
  std::vector<Transfer> transfers_;
};

}  // namespace shardscope::inline collectives
