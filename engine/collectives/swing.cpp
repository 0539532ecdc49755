// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstddef>
#include <vector>

#include "engine/collectives/collective_group.h"

namespace shardscope::inline collectives {

namespace {

// D. De Sensi, T. Bonato, D. Saam, T. Hoefler, "Swing: short-cutting rings for higher bandwidth allreduce",
// NSDI 2024: recursive halving and doubling whose partners lie at distances 1, 1, 3, 5, 11, … instead of
// 1, 2, 4, 8, 16: even ranks turn up and odd ones down by (1 − (−2)^(s+1)) / 3 round the ring in step s. For
// a power of two of ranks.
//   reduce-scatter: in step s to the partner of s what it will pass on or keep. all-gather: the same
//   backwards.
// Chunks stand in the order in which the halving splits the ranks, so that what is passed on is one run of
// them.
class SwingSchedule final : public CollectiveSchedule {
 public:
  // `turns`: turning an axis of the group turns the schedule, as in a pair or a square of four.
  SwingSchedule(CollectiveKind kind, int32_t ranks, bool turns);
  void append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const override;
  int32_t home(int32_t chunk) const override { return rank_at_[static_cast<size_t>(chunk)]; }

 private:
  int32_t partner(int32_t rank, int32_t step) const;

  std::vector<int32_t> rank_at_, place_of_;  // by chunk; by rank
};

SwingSchedule::SwingSchedule(CollectiveKind kind, int32_t ranks, bool turns)
    : CollectiveSchedule({kind, ranks, ranks, std::countr_zero(static_cast<uint32_t>(ranks)),
                          Dependency::every_earlier, 1, turns}),
      rank_at_{0},
      place_of_(static_cast<size_t>(ranks)) {
  CHECK(std::has_single_bit(static_cast<uint32_t>(ranks)), ranks);
  // Whom a rank reaches from step s on are those it reaches from s + 1 on, then those its partner of s does.
  for (int32_t step = 0; step < steps(); ++step) {
    std::vector<int32_t> split;
    for (const int32_t rank : rank_at_) {
      split.push_back(rank);
      split.push_back(partner(rank, step));
    }
    rank_at_ = std::move(split);
  }
  for (size_t place = 0; place < rank_at_.size(); ++place)
    place_of_[static_cast<size_t>(rank_at_[place])] = static_cast<int32_t>(place);
}

int32_t SwingSchedule::partner(int32_t rank, int32_t step) const {
  const int64_t power = int64_t{1} << (step + 1);
  const int64_t distance = (1 - (step % 2 == 0 ? -power : power)) / 3;
  const int64_t to = rank % 2 == 0 ? rank + distance : rank - distance;
  return static_cast<int32_t>((to % ranks() + ranks()) % ranks());
}

void SwingSchedule::append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const {
  const bool scatters = kind() == CollectiveKind::reduce_scatter;
  const int32_t level = scatters ? step : steps() - 1 - step;
  const int32_t bit = steps() - 1 - level;
  Transfer t;
  t.step = step;
  t.source = source;
  t.target = partner(source, level);
  t.adds = scatters;
  t.count = 1 << bit;
  t.chunk = place_of_[static_cast<size_t>(scatters ? t.target : source)] >> bit << bit;
  out.push_back(t);
}

}  // namespace

Result<SchedulePtr> algorithms::swing(const CollectiveGroup& group) {
  const bool turns = group.ranks <= 2 || group.axis_sizes() == std::vector<int32_t>{2, 2};
  return scatter_and_gather(group.kind, [&](CollectiveKind kind) -> SchedulePtr {
    return std::make_shared<SwingSchedule>(kind, group.ranks, turns);
  });
}

}  // namespace shardscope::inline collectives
