// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/sharing.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace shardscope::inline trace {
namespace {

uint64_t mix(uint64_t hash, int64_t value) {
  hash ^= static_cast<uint64_t>(value);
  hash *= 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

uint64_t hash_of(const Event& e) {
  uint64_t hash = mix(0, e.start);
  hash = mix(hash, e.end);
  hash = mix(hash, int64_t{e.instruction} << 20 | int64_t{e.lane} << 4);
  hash = mix(hash, int64_t{e.step} << 32 | int64_t{e.transfer_step});
  return mix(hash, e.bytes);
}

bool alike(const Event& a, const Event& b) {
  return a.start == b.start && a.end == b.end && a.lane == b.lane && a.kind == b.kind &&
         a.relayed == b.relayed && a.instruction == b.instruction && a.step == b.step &&
         a.transfer_step == b.transfer_step && a.chunk_count == b.chunk_count && a.bytes == b.bytes &&
         std::bit_cast<int64_t>(a.flops) == std::bit_cast<int64_t>(b.flops) && (a.peer < 0) == (b.peer < 0) &&
         (a.chunk < 0) == (b.chunk < 0) && (a.cause < 0) == (b.cause < 0);
}

bool alike(const BufferLife& a, const BufferLife& b) {
  return a.instruction == b.instruction && a.bytes == b.bytes && a.start == b.start && a.end == b.end;
}

uint64_t hash_of(const BufferLife& b) {
  return mix(mix(mix(mix(1, b.instruction), b.bytes), b.start), b.end);
}

template <class Hash, class Alike>
DeviceGroups group_devices(int32_t devices, const Hash& hash, const Alike& same) {
  DeviceGroups groups;
  std::unordered_multimap<uint64_t, size_t> by_hash;
  for (int32_t device = 0; device < devices; ++device) {
    const uint64_t key = hash(device);
    const auto [begin, end] = by_hash.equal_range(key);
    const auto found = std::find_if(
        begin, end, [&](const auto& entry) { return same(groups[entry.second].front(), device); });
    if (found != end) {
      groups[found->second].push_back(device);
    } else {
      by_hash.emplace(key, groups.size());
      groups.push_back({device});
    }
  }
  return groups;
}

}  // namespace

SharedNumber Permutations::encode(int64_t group, std::span<const int32_t> devices,
                                  std::span<const int64_t> values, int64_t modulus) {
  const int64_t offset = values.front();
  if (std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == offset; })) return {offset, {}};
  Key key{{group, modulus}, {}};
  for (const int64_t value : values) key.second.push_back(((value - offset) % modulus + modulus) % modulus);
  const auto [entry, is_new] = ids_.try_emplace(std::move(key), static_cast<int64_t>(ids_.size()));
  if (is_new)
    for (size_t i = 0; i < devices.size(); ++i)
      rows_.push_back({entry->second, devices[i], entry->first.second[i], modulus});
  return {offset, entry->second};
}

// Twice over the events in their own order, which is the lanes' order too: nothing is sorted.
std::vector<LaneOrder> events_by_lane(const Timeline& timeline) {
  const size_t lanes = timeline.lanes.size();
  const auto track_of = [&](const Event& e) {
    return static_cast<size_t>(e.device) * lanes + static_cast<size_t>(e.lane);
  };
  struct Track {
    size_t count = 0, next = 0;
    Picoseconds longest = 0, last_end = 0;
    bool serial = true;
  };
  std::vector<Track> tracks(static_cast<size_t>(timeline.devices) * lanes);
  std::vector<LaneOrder> orders(static_cast<size_t>(timeline.devices));
  for (const Event& e : timeline.events) {
    uint64_t& hash = orders[static_cast<size_t>(e.device)].hash;
    hash = mix(hash, static_cast<int64_t>(hash_of(e)));
    Track& track = tracks[track_of(e)];
    ++track.count;
    track.longest = std::max(track.longest, e.end - e.start);
    track.serial = track.serial && e.start >= track.last_end;
    track.last_end = std::max(track.last_end, e.end);
  }
  for (size_t t = 0; t < tracks.size(); ++t) {
    LaneOrder& order = orders[t / lanes];
    Track& track = tracks[t];
    track.next = order.lanes.empty() ? 0 : order.lanes.back().end;
    if (track.count > 0)
      order.lanes.push_back(
          {static_cast<int>(t % lanes), track.next, track.next + track.count, track.longest, track.serial});
    if (t % lanes + 1 == lanes) order.numbers.resize(track.next + track.count);
  }
  for (size_t i = 0; i < timeline.events.size(); ++i) {
    const Event& e = timeline.events[i];
    orders[static_cast<size_t>(e.device)].numbers[tracks[track_of(e)].next++] = static_cast<int32_t>(i);
  }
  return orders;
}

std::vector<std::vector<int32_t>> buffers_by_device(const Timeline& timeline) {
  std::vector<std::vector<int32_t>> places(static_cast<size_t>(timeline.devices));
  for (size_t i = 0; i < timeline.buffers.size(); ++i)
    places[static_cast<size_t>(timeline.buffers[i].device)].push_back(static_cast<int32_t>(i));
  return places;
}

DeviceGroups share_events(const Timeline& timeline, const std::vector<LaneOrder>& by_lane) {
  const auto at = [&](int32_t number) -> const Event& {
    return timeline.events[static_cast<size_t>(number)];
  };
  const auto of = [&](int32_t device) -> const std::vector<int32_t>& {
    return by_lane[static_cast<size_t>(device)].numbers;
  };
  return group_devices(
      timeline.devices, [&](int32_t device) { return by_lane[static_cast<size_t>(device)].hash; },
      [&](int32_t a, int32_t b) {
        return std::equal(of(a).begin(), of(a).end(), of(b).begin(), of(b).end(),
                          [&](int32_t x, int32_t y) { return alike(at(x), at(y)); });
      });
}

DeviceGroups share_memory(const Timeline& timeline, const std::vector<std::vector<int32_t>>& buffers) {
  const auto at = [&](int32_t place) -> const BufferLife& {
    return timeline.buffers[static_cast<size_t>(place)];
  };
  const auto of = [&](int32_t device) -> const std::vector<int32_t>& {
    return buffers[static_cast<size_t>(device)];
  };
  const auto memory = [&](int32_t device) {
    return static_cast<size_t>(device) < timeline.memory.size()
               ? std::span<const MemoryPoint>(timeline.memory[static_cast<size_t>(device)])
               : std::span<const MemoryPoint>();
  };
  return group_devices(
      timeline.devices,
      [&](int32_t device) {
        uint64_t hash = of(device).size();
        for (const int32_t place : of(device)) hash = mix(hash, static_cast<int64_t>(hash_of(at(place))));
        for (const MemoryPoint& point : memory(device)) hash = mix(mix(hash, point.time), point.bytes);
        return hash;
      },
      [&](int32_t a, int32_t b) {
        return std::equal(memory(a).begin(), memory(a).end(), memory(b).begin(), memory(b).end()) &&
               std::equal(of(a).begin(), of(a).end(), of(b).begin(), of(b).end(),
                          [&](int32_t x, int32_t y) { return alike(at(x), at(y)); });
      });
}

DeviceGroups share_nothing(int32_t devices) {
  DeviceGroups groups;
  for (int32_t device = 0; device < devices; ++device) groups.push_back({device});
  return groups;
}

std::map<int32_t, int64_t> chunk_moduli(const Timeline& timeline) {
  std::map<int32_t, int64_t> moduli;
  for (const Event& event : timeline.events) {
    if (event.chunk < 0) continue;
    int64_t& modulus = moduli[event.instruction];
    modulus = std::max<int64_t>(modulus, int64_t{event.chunk} + 1);
  }
  return moduli;
}

}  // namespace shardscope::inline trace
