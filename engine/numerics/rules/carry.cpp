// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/carry.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "engine/base/check.h"
#include "engine/collectives/collective.h"
#include "engine/numerics/rules/transport.h"

namespace shardscope::inline numerics {
namespace {

// A transfer that reaches a rank that is here.
struct CarriedArrival {
  CarriedGroup* group;
  int32_t source, target;
  bool adds;
  std::vector<int32_t> chunks;
  Array aside{};  // where it waits to be added or to replace what is still sent; none: it came to its room
};

class CarriedStep {
 public:
  CarriedStep(Step& step, ElementType type) : step_(step), type_(type) {}

  // The transfers of one group's step.
  void add(CarriedGroup& group, int32_t number) {
    std::vector<Transfer> transfers;
    group.schedule->append_step(number, transfers);
    std::set<std::pair<int32_t, int32_t>> sent;  // rank, chunk
    std::vector<std::vector<int32_t>> chunks(transfers.size());
    for (size_t t = 0; t < transfers.size(); ++t) {
      group.schedule->append_chunks(transfers[t], chunks[t]);
      if (group.held.contains(transfers[t].source))
        for (const int32_t chunk : chunks[t]) sent.emplace(transfers[t].source, chunk);
    }
    for (size_t t = 0; t < transfers.size(); ++t) {
      const Transfer& transfer = transfers[t];
      if (transfer.source == transfer.target || bytes_of(group, chunks[t]) == 0) continue;
      const bool to_here = group.held.contains(transfer.target);
      const bool is_sent = std::ranges::any_of(chunks[t], [&](int32_t chunk) {
        return sent.contains({transfer.target, chunk});
      });
      if (to_here)
        arrive(group, transfer, std::move(chunks[t]), transfer.adds || is_sent);
      else if (group.held.contains(transfer.source))
        leave(group, transfer, chunks[t]);
    }
  }

  Result<void> finish() {
    TRY_VOID(step_.run.transport->exchange(step_.at(), deliveries_));
    for (size_t a = 0; a < arrivals_.size(); ++a) {
      if (!arrivals_[a].adds || !arrivals_[a].group->in_rank_order) settle(arrivals_[a]);
    }
    add_by_rank();
    return {};
  }

 private:
  int64_t bytes_of(const CarriedGroup& group, const std::vector<int32_t>& chunks) const {
    int64_t elements = 0;
    for (const int32_t chunk : chunks) elements += group.elements[nth(chunk)];
    return stored_bytes(type_, elements);
  }
  size_t size_of(const CarriedGroup& group, int32_t chunk) const {
    return static_cast<size_t>(stored_bytes(type_, group.elements[nth(chunk)]));
  }

  std::byte* room_of(CarriedGroup& group, int32_t rank, int32_t chunk) {
    HeldChunk& held = group.held.at(rank)[nth(chunk)];
    if (held.room == nullptr) {
      group.kept.push_back(step_.run.pool.take(type_, {group.elements[nth(chunk)]}));
      held.room = group.kept.back().mutable_data();
    }
    return held.room;
  }

  // Where the chunks of a source that is here lie.
  template <class Each>
  void for_each_held(const CarriedGroup& group, int32_t source, const std::vector<int32_t>& chunks,
                     const Each& each) {
    for (const int32_t chunk : chunks) {
      const HeldChunk& held = group.held.at(source)[nth(chunk)];
      if (group.elements[nth(chunk)] == 0) continue;
      CHECK(held.now != nullptr, step_.at().name, source, chunk);
      each(std::span(held.now, size_of(group, chunk)));
    }
  }

  void leave(CarriedGroup& group, const Transfer& transfer, const std::vector<int32_t>& chunks) {
    Delivery& delivery = delivery_of(group, transfer, chunks);
    for_each_held(group, transfer.source, chunks,
                  [&](std::span<const std::byte> piece) { join(delivery.from, piece); });
  }

  void arrive(CarriedGroup& group, const Transfer& transfer, std::vector<int32_t> chunks, bool aside) {
    const bool from_here = group.held.contains(transfer.source);
    CarriedArrival arrival{&group, transfer.source, transfer.target, transfer.adds, std::move(chunks)};
    if (aside || from_here) {
      int64_t elements = 0;
      for (const int32_t chunk : arrival.chunks) elements += group.elements[nth(chunk)];
      arrival.aside = step_.run.pool.take(type_, {elements});
    }
    if (from_here) {
      std::byte* to = arrival.aside.mutable_data();
      for_each_held(group, transfer.source, arrival.chunks, [&](std::span<const std::byte> piece) {
        std::memcpy(to, piece.data(), piece.size());
        to += piece.size();
      });
    } else {
      Delivery& delivery = delivery_of(group, transfer, arrival.chunks);
      if (aside) {
        delivery.to.emplace_back(arrival.aside.mutable_data(), static_cast<size_t>(delivery.bytes));
      } else {
        for (const int32_t chunk : arrival.chunks)
          join(delivery.to, std::span(room_of(group, transfer.target, chunk), size_of(group, chunk)));
      }
    }
    arrivals_.push_back(std::move(arrival));
  }

  // Neighbours are one piece.
  template <class Byte>
  static void join(std::vector<std::span<Byte>>& pieces, std::span<Byte> piece) {
    if (!pieces.empty() && pieces.back().data() + pieces.back().size() == piece.data())
      pieces.back() = {pieces.back().data(), pieces.back().size() + piece.size()};
    else if (!piece.empty())
      pieces.push_back(piece);
  }

  Delivery& delivery_of(const CarriedGroup& group, const Transfer& transfer,
                        const std::vector<int32_t>& chunks) {
    return deliveries_.emplace_back(Delivery{group.devices[nth(transfer.source)],
                                             group.devices[nth(transfer.target)], transfer.step,
                                             bytes_of(group, chunks)});
  }

  void sum(const CarriedGroup& group, const std::byte* a, const std::byte* b, std::byte* out, int64_t count) {
    constexpr int64_t kStretch = int64_t{1} << 16;
    const int64_t size = stored_bytes(type_, 1);
    step_.run.workers.parallel_for((count + kStretch - 1) / kStretch, [&](int64_t s) {
      const int64_t first = s * kStretch, offset = first * size;
      group.add(a + offset, b + offset, out + offset, std::min(kStretch, count - first));
    });
  }

  void settle(const CarriedArrival& arrival) {
    const std::byte* aside = arrival.aside.data();
    for (const int32_t chunk : arrival.chunks) {
      HeldChunk& held = arrival.group->held.at(arrival.target)[nth(chunk)];
      std::byte* const room = room_of(*arrival.group, arrival.target, chunk);
      const size_t bytes = size_of(*arrival.group, chunk);
      if (arrival.adds)
        sum(*arrival.group, held.now, aside, room, arrival.group->elements[nth(chunk)]);
      else if (aside != nullptr && bytes > 0)
        std::memcpy(room, aside, bytes);
      held.now = room;
      if (aside != nullptr) aside += bytes;
    }
  }

  // Each rank's own part has its place among those that arrive.
  void add_by_rank() {
    std::map<std::tuple<CarriedGroup*, int32_t, int32_t>, std::map<int32_t, const std::byte*>> terms;
    for (const CarriedArrival& arrival : arrivals_) {
      if (!arrival.adds || !arrival.group->in_rank_order) continue;
      const std::byte* aside = arrival.aside.data();
      for (const int32_t chunk : arrival.chunks) {
        terms[{arrival.group, arrival.target, chunk}][arrival.source] = aside;
        aside += size_of(*arrival.group, chunk);
      }
    }
    for (auto& [place, parts] : terms) {
      const auto [group, rank, chunk] = place;
      HeldChunk& held = group->held.at(rank)[nth(chunk)];
      parts[rank] = held.now;
      std::byte* const room = room_of(*group, rank, chunk);
      const std::byte* so_far = nullptr;
      for (const auto& [source, part] : parts) {
        if (so_far == nullptr) {
          so_far = part;
          continue;
        }
        sum(*group, so_far, part, room, group->elements[nth(chunk)]);
        so_far = room;
      }
      held.now = room;
    }
  }

  Step& step_;
  ElementType type_;
  std::vector<Delivery> deliveries_;
  std::vector<CarriedArrival> arrivals_;
};

}  // namespace

Result<void> carry(Step& step, ElementType type, std::vector<CarriedGroup>& groups) {
  int32_t steps = 0;
  for (const CarriedGroup& group : groups) steps = std::max(steps, group.schedule->steps());
  for (int32_t s = 0; s < steps; ++s) {
    CarriedStep carried(step, type);
    for (CarriedGroup& group : groups)
      if (s < group.schedule->steps()) carried.add(group, s);
    TRY_VOID(carried.finish());
  }
  return {};
}

std::shared_ptr<const CollectiveSchedule> straight_schedule(CollectiveKind kind, int32_t ranks) {
  GroupTopology topology;
  topology.all_pairs = true;
  auto schedule = lower(kind, CollectiveAlgorithm::direct, ranks, topology);
  CHECK(schedule.ok(), ranks);
  return *std::move(schedule);
}

}  // namespace shardscope::inline numerics
