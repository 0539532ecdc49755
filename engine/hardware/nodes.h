// SPDX-License-Identifier: Apache-2.0
// Which node of a machine devices are on: fabric.node() chips each, one after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/hardware/fabric.h"

namespace shardscope::inline hardware {

int32_t node_of(const Fabric& fabric, int32_t device);  // 0 where all are at one level
bool on_one_node(const Fabric& fabric, const std::vector<int32_t>& devices);
// How many of a group each node has, where they come node after node and as many of each; 0: all are on one
// node, or they come in no such order.
int32_t members_per_node(const Fabric& fabric, const std::vector<int32_t>& members);

}  // namespace shardscope::inline hardware
