// SPDX-License-Identifier: Apache-2.0
// Over which links a collective goes: within a node of a machine of several, or between nodes.
#pragma once

#include <cstdint>
#include <string>

#include "engine/hardware/hardware.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// As XLA's GPU scheduler has them: collectives within one NVLink domain have a resource of their own, all
// others share one (GpuAsyncStreamScaleUpCollectives, GpuAsyncStreamCollectives).
enum class CollectiveLink : uint8_t { node, network };

// Of a collective or its start. On a chip without nodes all links are those of the node.
CollectiveLink link_of(const Program& program, const Instruction& collective, const Hardware& hardware);
// "NVLink" on a GPU, "the links"; "the network".
std::string words_of(CollectiveLink link, const Hardware& hardware);

}  // namespace shardscope::inline backend
