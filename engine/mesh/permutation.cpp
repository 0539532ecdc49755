// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/permutation.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/mesh/axis_way.h"

namespace shardscope::inline mesh {

Result<Permutation> Permutation::make(std::vector<SourceTarget> pairs, int64_t devices) {
  Permutation p;
  p.source_of_.resize(static_cast<size_t>(devices));
  p.target_of_.resize(static_cast<size_t>(devices));
  for (const SourceTarget& pair : pairs) {
    for (DeviceId d : {pair.source, pair.target}) {
      if (d.value < 0 || d.value >= devices) {
        return invalid(
            fmt::format("device {} in source_target_pairs, expected 0 to {}", d.value, devices - 1));
      }
    }
    DeviceId& target = p.target_of_[static_cast<size_t>(pair.source.value)];
    DeviceId& source = p.source_of_[static_cast<size_t>(pair.target.value)];
    if (target.valid())
      return invalid(fmt::format("device {} is a source twice", pair.source.value), "source_target_pairs");
    if (source.valid())
      return invalid(fmt::format("device {} is a target twice", pair.target.value), "source_target_pairs");
    target = pair.target;
    source = pair.source;
  }
  p.pairs_ = std::move(pairs);
  return p;
}

Permutation Permutation::shift(const Mesh& mesh, int axis, int64_t distance) {
  std::vector<SourceTarget> pairs;
  const int64_t n = mesh.axis_size(axis);
  const int64_t step = ((distance % n) + n) % n;
  for (int64_t d = 0; d < mesh.device_count(); ++d) {
    const int64_t i = mesh.coordinate(DeviceId(d), axis);
    pairs.push_back({DeviceId(d), DeviceId(d + ((i + step) % n - i) * mesh.stride(axis))});
  }
  return *make(std::move(pairs), mesh.device_count());
}

DeviceId Permutation::source_of(DeviceId device) const {
  const size_t i = static_cast<size_t>(device.value);
  return i < source_of_.size() ? source_of_[i] : DeviceId();
}

DeviceId Permutation::target_of(DeviceId device) const {
  const size_t i = static_cast<size_t>(device.value);
  return i < target_of_.size() ? target_of_[i] : DeviceId();
}

std::vector<std::vector<DeviceId>> Permutation::cycles() const {
  std::vector<std::vector<DeviceId>> out;
  std::vector<bool> seen(target_of_.size());
  for (size_t first = 0; first < target_of_.size(); ++first) {
    std::vector<DeviceId> chain;
    DeviceId at{static_cast<int64_t>(first)};
    while (at.valid() && !seen[static_cast<size_t>(at.value)]) {
      seen[static_cast<size_t>(at.value)] = true;
      chain.push_back(at);
      at = target_of_[static_cast<size_t>(at.value)];
    }
    if (chain.size() > 1 && at == chain.front()) out.push_back(std::move(chain));
  }
  return out;
}

int64_t hop_count(const Mesh& mesh, DeviceId source, DeviceId target) {
  const int64_t from = mesh.chip_of(source);
  const int64_t to = mesh.chip_of(target);
  int64_t hops = 0;
  for (int a = 0; a < mesh.rank(); ++a) {
    const int64_t n = mesh.axis_size(a);
    hops += axis_way(from / mesh.stride(a) % n, to / mesh.stride(a) % n, n,
                     mesh.axes()[static_cast<size_t>(a)].wrap)
                .hops;
  }
  return hops;
}

}  // namespace shardscope::inline mesh
