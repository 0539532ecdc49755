// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/collectives/schedule.h"

namespace shardscope::inline collectives {

// Every rank sends straight to every other, with nothing forwarded.
//   at_once: in one step (broadcast and reduce: from or to rank 0 alone).
//   shift: in step s to rank r+s+1.   bits: in step s to rank r xor s+1, for a power of two of ranks.
// all-gather, reduce-scatter, all-to-all; at_once also broadcast and reduce. Shift and bits wait step by
// step, as MPI's sendrecv does. R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective
// Communication Operations in MPICH", 2005.
enum class ExchangeOrder { at_once, shift, bits };

class ExchangeSchedule final : public CollectiveSchedule {
 public:
  // `axes`: sizes of those that the group spans, slowest first; what goes at once goes by distance on each.
  ExchangeSchedule(CollectiveKind kind, ExchangeOrder order, int32_t ranks, std::vector<int32_t> axes);
  void append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const override;

 private:
  void append(int32_t step, int32_t source, int32_t target, std::vector<Transfer>& out) const;

  int32_t moved(int32_t rank, int32_t distance) const;

  ExchangeOrder order_;
  std::vector<int32_t> axes_;
};

// all-to-all of rows that differ in number: sizes[i·ranks + j] from rank i to rank j, one chunk each row.
class RaggedExchange final : public CollectiveSchedule {
 public:
  RaggedExchange(const std::vector<int64_t>& sizes, int32_t ranks);
  void append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const override;
  int32_t home(int32_t chunk) const override;
  int32_t goal(int32_t chunk) const override;

 private:
  int32_t place(int32_t chunk) const;  // in begin_

  std::vector<int32_t> begin_;  // [source · ranks + distance]: first chunk; and the end of all
};

}  // namespace shardscope::inline collectives
