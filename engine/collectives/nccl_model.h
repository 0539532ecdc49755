// SPDX-License-Identifier: Apache-2.0
// NCCL's own model of what a collective takes, and what NCCL chooses by it: the least of latency + bytes /
// bandwidth over its algorithms and protocols. Facts from NCCL 2.30 (5067397c), src/graph/tuning.cc and
// src/enqueue.cc; the text is ours. It is a model to choose by, not a measurement.
#pragma once

#include <string>
#include <vector>

#include "engine/base/element_type.h"
#include "engine/collectives/nccl_channels.h"
#include "engine/collectives/schedule.h"

namespace shardscope::inline collectives {

// In NCCL's order: of equally fast ones it takes the first.
enum class NcclAlgorithm : uint8_t { tree, ring, nvls, nvls_tree, pat };
enum class NcclProtocol : uint8_t { ll, ll128, simple };
const char* name(NcclAlgorithm algorithm);  // "NVLS tree"
const char* name(NcclProtocol protocol);    // "LL128"

struct NcclCollective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  int64_t bytes = 0;  // of the whole array: gathered, reduced or sent by a root
  ElementType type = ElementType::bf16;
  bool operator==(const NcclCollective&) const = default;
};

struct NcclTime {
  NcclAlgorithm algorithm = NcclAlgorithm::ring;
  NcclProtocol protocol = NcclProtocol::simple;
  double seconds = 0;
  int32_t channels = 0;  // of the launch: as many thread blocks, a multiprocessor each
  bool operator==(const NcclTime&) const = default;
};

// Every algorithm and protocol that NCCL may take there, the one it takes first, the others by their times.
// None: one rank, no bytes, or a kind that NCCL makes of sends and receives (all-to-all, permute).
std::vector<NcclTime> nccl_times(const NcclMachine& machine, const NcclCollective& collective);

// "NCCL 2.30 takes NVLS Simple with 16 channels, 3.97 ms by its model, against 5.28 ms by ring Simple".
std::string words_of(const std::vector<NcclTime>& times);

}  // namespace shardscope::inline collectives
