// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/rules/dot_grouping.h"

#include <algorithm>
#include <numeric>

#include "engine/base/check.h"
#include "engine/base/units.h"

namespace shardscope::inline partitioner {
namespace {

// Each device's number among the replicas of its tile is `rest`; `counts` and `places` say its tile.
Tiling of_places(std::vector<int64_t> counts, const TilePlaces& places, const std::vector<int64_t>& rest) {
  const auto devices = static_cast<int64_t>(places.size());
  Tiling out = Tiling::replicated(counts.size(), devices);
  out.counts = std::move(counts);
  std::ranges::stable_sort(out.order.edit(), {}, [&](int64_t device) {
    int64_t flat = 0;
    for (size_t d = 0; d < out.rank(); ++d)
      flat = flat * out.counts[d] + places[static_cast<size_t>(device)][d];
    return flat * devices + rest[static_cast<size_t>(device)];
  });
  return out;
}

// The group of each device.
std::vector<int64_t> numbers_of(const DeviceGroups& groups) {
  std::vector<int64_t> out(static_cast<size_t>(groups.count() * groups.size()));
  for (size_t g = 0; g < groups.groups.size(); ++g)
    for (const int64_t device : groups.groups[g]) out[static_cast<size_t>(device)] = static_cast<int64_t>(g);
  return out;
}

}  // namespace

std::vector<int64_t> counts_on(const Tiling& tiling, const std::vector<int64_t>& on) {
  std::vector<int64_t> out;
  for (const int64_t d : on) out.push_back(tiling.counts[static_cast<size_t>(d)]);
  return out;
}

Tiling recounted(Tiling tiling, const std::vector<int64_t>& on, const std::vector<int64_t>& counts) {
  for (size_t k = 0; k < on.size(); ++k) tiling.counts[static_cast<size_t>(on[k])] = counts[k];
  return tiling;
}

bool same_places(const Tiling& a, const std::vector<int64_t>& on_a, const Tiling& b,
                 const std::vector<int64_t>& on_b) {
  if (counts_on(a, on_a) != counts_on(b, on_b)) return false;
  const auto pa = a.coordinates(), pb = b.coordinates();
  for (size_t device = 0; device < pa.size(); ++device) {
    for (size_t i = 0; i < on_a.size(); ++i)
      if (pa[device][static_cast<size_t>(on_a[i])] != pb[device][static_cast<size_t>(on_b[i])]) return false;
  }
  return true;
}

bool is_partly_replicated(const Tiling& tiling) {
  return !tiling.is_replicated() && tiling.replicas() > 1;
}

Grouped grouped_on(const Tiling& tiling, const std::vector<int64_t>& dims, int64_t replicas_left) {
  Grouped out{dims, {}, {}, {}};
  const auto rank = static_cast<int64_t>(tiling.rank());
  std::vector<int64_t> counts = tiling.counts;
  for (const int64_t d : dims) {
    out.sizes.push_back(d == rank ? tiling.replicas() / replicas_left : counts[static_cast<size_t>(d)]);
    if (d < rank) counts[static_cast<size_t>(d)] = 1;
  }
  const int64_t groups = std::accumulate(out.sizes.begin(), out.sizes.end(), int64_t{1}, std::multiplies<>());
  out.groups.groups.resize(static_cast<size_t>(groups));
  const TilePlaces place = tiling.coordinates();
  const std::vector<int64_t> replica = tiling.replica_numbers();
  for (const int64_t device : tiling.order) {
    const auto at = static_cast<size_t>(device);
    int64_t group = 0;
    for (size_t k = 0; k < dims.size(); ++k)
      group = group * out.sizes[k] +
              (dims[k] == rank ? replica[at] / replicas_left : place[at][static_cast<size_t>(dims[k])]);
    out.groups.groups[static_cast<size_t>(group)].push_back(device);
  }
  out.inner = Tiling::replicated(tiling.rank(), out.groups.size());
  out.inner.counts = std::move(counts);
  return out;
}

Tiling ungrouped(const Grouped& grouped) {
  const Tiling& inner = grouped.inner;
  const TilePlaces in_group = inner.coordinates();
  const std::vector<int64_t> replica = inner.replica_numbers();
  const int64_t devices = grouped.groups.count() * grouped.groups.size();
  std::vector<int64_t> counts = inner.counts, rest(static_cast<size_t>(devices));
  for (size_t k = 0; k < grouped.dims.size(); ++k)
    if (static_cast<size_t>(grouped.dims[k]) < inner.rank())
      counts[static_cast<size_t>(grouped.dims[k])] *= grouped.sizes[k];
  TilePlaces place(static_cast<size_t>(devices), inner.rank());
  for (size_t g = 0; g < grouped.groups.groups.size(); ++g) {
    for (size_t i = 0; i < grouped.groups.groups[g].size(); ++i) {
      const auto device = static_cast<size_t>(grouped.groups.groups[g][i]);
      std::ranges::copy(in_group[i], place[device].begin());
      rest[device] = replica[i];
      auto number = static_cast<int64_t>(g);
      for (size_t k = grouped.dims.size(); k-- > 0;) {
        const auto d = static_cast<size_t>(grouped.dims[k]);
        const int64_t at = number % grouped.sizes[k];
        number /= grouped.sizes[k];
        if (d < inner.rank())
          place[device][d] += at * inner.counts[d];
        else
          rest[device] += at * inner.replicas();
      }
    }
  }
  return of_places(std::move(counts), place, rest);
}

Grouped aligned(Grouped grouped, const DeviceGroups& reference, GroupOrder order) {
  const std::vector<int64_t> wanted = numbers_of(reference);
  bool same = true;
  std::optional<int64_t> first;  // the reference's group of the first one
  for (size_t g = 0; g < grouped.groups.groups.size() && same; ++g) {
    const auto& group = grouped.groups.groups[g];
    const int64_t to = wanted[static_cast<size_t>(group.front())];
    same = std::ranges::all_of(group, [&](int64_t d) { return wanted[static_cast<size_t>(d)] == to; }) &&
           (order == GroupOrder::any || to == static_cast<int64_t>(g));
    if (!first) first = to;
  }
  if (same && !grouped.inner.is_replicated()) {
    const auto& target = reference.groups[static_cast<size_t>(*first)];
    for (int64_t& number : grouped.inner.order.edit()) {
      const int64_t device = grouped.groups.groups.front()[static_cast<size_t>(number)];
      number = std::ranges::find(target, device) - target.begin();
    }
  }
  grouped.groups = reference;
  return grouped;
}

std::optional<std::vector<int64_t>> matching_dims(const Tiling& tiling, const DeviceGroups& groups) {
  if (tiling.is_replicated() || groups.count() < 2) return std::nullopt;
  const auto rank = static_cast<int64_t>(tiling.rank());
  const auto size_of = [&](int64_t d) {
    return d == rank ? tiling.replicas() : tiling.counts[static_cast<size_t>(d)];
  };
  std::vector<int64_t> out;
  if (groups.size() < 2) {
    for (int64_t d = 0; d <= rank; ++d)
      if (size_of(d) > 1) out.push_back(d);
    return out;
  }
  const TilePlaces place = tiling.coordinates();
  const std::vector<int64_t> replica = tiling.replica_numbers();
  const auto at = [&](int64_t device, int64_t d) {
    return d == rank ? replica[static_cast<size_t>(device)]
                     : place[static_cast<size_t>(device)][static_cast<size_t>(d)];
  };
  const auto& first = groups.groups.front();
  int64_t count = 1;
  for (int64_t d = 0; d <= rank; ++d) {
    if ((d == rank && tiling.replicas() == 1) || at(first[0], d) != at(first[1], d)) continue;
    out.push_back(d);
    count *= size_of(d);
  }
  if (count != groups.count()) return std::nullopt;
  for (const auto& group : groups.groups)
    for (const int64_t device : group)
      if (std::ranges::any_of(out, [&](int64_t d) { return at(device, d) != at(group.front(), d); }))
        return std::nullopt;
  return out;
}

DeviceGroups replica_groups_of(const Tiling& tiling) {
  DeviceGroups out;
  out.groups.resize(static_cast<size_t>(tiling.tiles()));
  for (size_t place = 0; place < tiling.order.size(); ++place)
    out.groups[place / static_cast<size_t>(tiling.replicas())].push_back(tiling.order[place]);
  return out;
}

Tiling with_replicas_at(const Tiling& tiling, size_t dim) {
  TilePlaces place = tiling.coordinates();
  std::vector<int64_t> replica = tiling.replica_numbers(), counts = tiling.counts;
  counts[dim] = tiling.replicas();
  for (size_t device = 0; device < place.size(); ++device) std::swap(place[device][dim], replica[device]);
  return of_places(std::move(counts), place, replica);
}

Sharded enter(const Sharded& value, const Grouped& grouped) {
  Shape base = value.base;
  std::vector<int64_t> on, counts;
  for (size_t k = 0; k < grouped.dims.size(); ++k) {
    const auto d = static_cast<size_t>(grouped.dims[k]);
    if (d == base.rank()) continue;
    base.dims[d] = ceil_div(base.dims[d], grouped.sizes[k]);
    on.push_back(grouped.dims[k]);
    counts.push_back(grouped.sizes[k]);
  }
  return {value.id, base, grouped.inner,
          std::make_shared<const InGroups>(InGroups{on, counts, grouped.groups, value.in})};
}

}  // namespace shardscope::inline partitioner
