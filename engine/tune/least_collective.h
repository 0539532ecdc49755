// SPDX-License-Identifier: Apache-2.0
// What a collective takes at least, whatever its algorithm.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/collectives/collective.h"
#include "engine/hardware/fabric.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline tuner {

// What an instruction takes: on every device from when the first one has its operands, on some device from
// then, and on some device from when they are there on the last one.
struct LeastDuration {
  double everywhere_s = 0, somewhere_s = 0, behind_last_s = 0;
  bool waits_for_own = true;  // false: some devices get their results whether they have operands or not
};

struct LeastCollective {
  LeastDuration takes;
  // What its messages hold: the links of devices along an axis, or their ports; empty: no bound. For how long
  // they hold one, all of them sharing the work in the mean over devices, not before `launch_s` has passed;
  // and how long what they held last is still on its way.
  std::string links;
  double launch_s = 0, held_s = 0, behind_s = 0;
};

int64_t operand_bytes(const Computation& entry, const Instruction& i);

// Links are as the chip says them, or a row of the chip for the kind and size of group; of permutes any row
// for them. Equal groups are looked at once.
class LeastCollectives {
 public:
  struct Pace {
    double launch_s = 0, latency_s = 0, bytes_per_s = 1;
  };
  // Faster than any link, and than any row of the chip; of a device of two levels, both its ports together.
  static Pace fastest(const Hardware& hardware, const Fabric& fabric);

  // All of it outlives this.
  LeastCollectives(const Program& program, const Hardware& hardware, const Fabric& fabric);
  static bool are_known(const Fabric& fabric) { return fabric.link_error().ok(); }

  LeastCollective of(const Instruction& i);

 private:
  // The devices that messages go between.
  struct Group {
    std::vector<std::string> axes;  // none: its groups are no axes of the mesh
    double ranks = 1;
    double share = 0;      // of all devices that are in groups; of a permutation, that send
    int ways_out = 1;      // links of a device that its messages may go over at a time,
    int ways_in = 1;       // and those to it
    std::string links;     // LeastCollective::links, and how many of them a device has:
    double own_links = 1;  // in the mean; at the ends of a line there is one less
  };
  // Bytes: what a device sends in the mean and in how many messages, what every device must receive once the
  // first one has something to send, what some device must get then, and what a device that comes last still
  // has to send.
  struct Traffic {
    double whole = 0;  // of a device, before or after
    double sent = 0, messages = 0;
    double received = 0, reaches = 0, late = 0;
    bool waits_for_own = true;
  };
  const Group& group(const Instruction& i);
  Group make(const Instruction& i) const;
  void find_links(Group& group) const;
  Traffic traffic(const Instruction& i, const Group& group) const;
  Pace pace(CollectiveKind kind, const Group& group, const Traffic& traffic) const;

  const Program& program_;
  const Hardware& hardware_;
  const Fabric& fabric_;
  Pace own_;
  std::unordered_map<const void*, Group> groups_;  // by the permutation or the groups
};

}  // namespace shardscope::inline tuner
