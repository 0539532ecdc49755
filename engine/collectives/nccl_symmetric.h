// SPDX-License-Identifier: Apache-2.0
// NCCL's kernels for arrays in symmetric memory on one node: each rank reads or writes the others' memory
// over the switch. Facts from NCCL 2.30 (5067397c), src/sym_kernels.cc: base time + softplus(bytes / rate −
// 1) µs, a rate that grows with the blocks up to a peak; of kernels the least time, 2.5 % a block dearer. The
// text is ours.
#pragma once

#include <optional>
#include <string>

#include "engine/collectives/nccl_model.h"

namespace shardscope::inline collectives {

struct NcclSymmetric {
  const char* kernel = "";  // NCCL's name: "AllReduce_RSxLDMC_AGxSTMC"
  const char* does = "";    // "two-shot by multicast"
  double seconds = 0;
  int32_t blocks = 0;  // as many multiprocessors are taken from what runs beside it
  bool operator==(const NcclSymmetric&) const = default;
};

// What NCCL takes for arrays that are registered as symmetric windows on both sides. None: several nodes, one
// rank, Ampere's reductions of types that it has no kernel for, other kinds, arrays of 64 GiB and more.
std::optional<NcclSymmetric> nccl_symmetric(const NcclMachine& machine, const NcclCollective& collective);
// "from symmetric memory two-shot by multicast (AllReduce_RSxLDMC_AGxSTMC) with 2 blocks, 236 µs".
std::string words_of(const NcclSymmetric& it);

}  // namespace shardscope::inline collectives
