// SPDX-License-Identifier: Apache-2.0
#include "views/scene/charts/memory_layers.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>

#include "engine/base/say.h"
#include "engine/run/buffer_name.h"

namespace shardscope::inline views {
namespace {

// Bytes of each group that come and go, by time.
struct LiveChange {
  Picoseconds time = 0;
  size_t group = 0;
  int64_t bytes = 0;
};

struct Group {
  MemoryLayer layer;
  double byte_time = 0, bytes_seen = 0;  // mean life = byte_time / bytes_seen
};

struct Collected {
  std::vector<Group> groups;
  std::vector<LiveChange> changes;
};

Collected collect(const ViewInput& input, int32_t device) {
  Collected out;
  std::map<std::string, size_t> number;
  const Picoseconds end = input.run.timeline.total;
  for (const BufferLife& b : input.run.timeline.buffers) {
    if (b.device != device || b.bytes <= 0) continue;
    const std::string content = buffer_name(input.run.program, b.instruction);
    const auto [it, fresh] = number.emplace(content, out.groups.size());
    if (fresh) {
      out.groups.emplace_back();
      out.groups.back().layer.name = content;
      out.groups.back().layer.instruction = b.instruction;
    }
    Group& group = out.groups[it->second];
    ++group.layer.buffers;
    group.byte_time += static_cast<double>(b.bytes) * static_cast<double>(b.end - b.start);
    group.bytes_seen += static_cast<double>(b.bytes);
    out.changes.push_back({b.start, it->second, b.bytes});
    if (b.end < end) out.changes.push_back({b.end, it->second, -b.bytes});
  }
  std::stable_sort(out.changes.begin(), out.changes.end(),
                   [](const LiveChange& a, const LiveChange& b) { return a.time < b.time; });
  return out;
}

// Calls f(start, end, bytes per group) for every stretch between two changes.
template <class F>
void walk(const Collected& collected, Picoseconds end, F&& f) {
  std::vector<int64_t> bytes(collected.groups.size());
  for (size_t i = 0; i < collected.changes.size();) {
    const Picoseconds now = collected.changes[i].time;
    for (; i < collected.changes.size() && collected.changes[i].time == now; ++i)
      bytes[collected.changes[i].group] += collected.changes[i].bytes;
    f(now, i < collected.changes.size() ? collected.changes[i].time : std::max(now, end), bytes);
  }
}

}  // namespace

int64_t MemorySpan::total() const {
  return std::accumulate(bytes.begin(), bytes.end(), int64_t{0});
}

MemoryLayers memory_layers(const ViewInput& input, int32_t device, size_t most) {
  Collected collected = collect(input, device);
  const Picoseconds end = input.run.timeline.total;
  int64_t peak = -1;
  walk(collected, end, [&](Picoseconds, Picoseconds, const std::vector<int64_t>& bytes) {
    const int64_t total = std::accumulate(bytes.begin(), bytes.end(), int64_t{0});
    if (total <= peak) return;
    peak = total;
    for (size_t g = 0; g < bytes.size(); ++g) collected.groups[g].layer.peak_bytes = bytes[g];
  });
  std::vector<size_t> order(collected.groups.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto& groups = collected.groups;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return groups[a].layer.peak_bytes > groups[b].layer.peak_bytes;
  });
  const size_t kept = order.size() > most ? most - 1 : order.size();
  std::stable_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), [&](size_t a, size_t b) {
    return groups[a].byte_time * groups[b].bytes_seen > groups[b].byte_time * groups[a].bytes_seen;
  });
  MemoryLayers out;
  std::vector<size_t> layer_of(groups.size());
  for (size_t i = 0; i < order.size(); ++i) {
    layer_of[order[i]] = std::min(i, kept);
    const MemoryLayer& layer = groups[order[i]].layer;
    if (i < kept) {
      out.layers.push_back(layer);
      continue;
    }
    if (i == kept) out.layers.push_back({counted(order.size() - kept, "other"), -1, 0, 0});
    out.layers.back().buffers += layer.buffers;
    out.layers.back().peak_bytes += layer.peak_bytes;
  }
  walk(collected, end, [&](Picoseconds start, Picoseconds stop, const std::vector<int64_t>& bytes) {
    MemorySpan span{start, stop, std::vector<int64_t>(out.layers.size())};
    for (size_t g = 0; g < bytes.size(); ++g) span.bytes[layer_of[g]] += bytes[g];
    if (!out.spans.empty() && out.spans.back().bytes == span.bytes) {
      out.spans.back().end = stop;
    } else {
      out.spans.push_back(std::move(span));
    }
  });
  return out;
}

}  // namespace shardscope::inline views
