// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/layouts_between.h"

#include <algorithm>

#include "engine/base/units.h"
#include "engine/sharding/named_sharding.h"

namespace shardscope {
namespace {

// The box of [tokens, features] that `device` holds.
IndexBox box_of(const NamedSharding& sharding, bool transposed, DeviceId device, int64_t tokens,
                int64_t features) {
  if (!transposed) return sharding.slices(device, {tokens, features});
  IndexBox stored = sharding.slices(device, {features, tokens});
  std::swap(stored[0], stored[1]);
  return stored;
}

double volume(const IndexBox& box) {
  double out = 1;
  for (const IndexRange& range : box) out *= static_cast<double>(std::max<int64_t>(0, range.size()));
  return out;
}

IndexBox overlap(const IndexBox& a, const IndexBox& b) {
  IndexBox out;
  for (size_t d = 0; d < a.size(); ++d)
    out.push_back({std::max(a[d].start, b[d].start), std::min(a[d].stop, b[d].stop)});
  return out;
}

double bytes_into_device_per_s(const Mesh& mesh, const Hardware& hardware) {
  if (!hardware.link.bytes_per_s) return 0;
  const double link = *hardware.link.bytes_per_s * hardware.link.efficiency;
  if (hardware.topology == Topology::full) return link * static_cast<double>(mesh.device_count() - 1);
  if (hardware.topology != Topology::torus && hardware.topology != Topology::line) return link;
  const double pairs = static_cast<double>(std::max<int64_t>(1, hardware.link.links_per_axis / 2));
  double links = 0;
  for (const MeshAxis& axis : mesh.axes()) links += axis.size > 2 ? 2 : axis.size == 2 ? 1 : 0;
  return link * pairs * links;
}

}  // namespace

Resharding resharding(const Mesh& mesh, const Hardware& hardware, const ActivationLayout& from,
                      const ActivationLayout& to, int64_t tokens, int64_t features, int64_t element_bytes) {
  if (from == to || mesh.device_count() == 1) return {};
  const Result<NamedSharding> source = NamedSharding::make(mesh, from.spec);
  const Result<NamedSharding> target = NamedSharding::make(mesh, to.spec);
  CHECK(source.ok() && target.ok(), from.spec.text(), to.spec.text());
  const auto stored = [&](bool transposed) {
    return transposed ? std::vector<int64_t>{features, tokens} : std::vector<int64_t>{tokens, features};
  };
  const bool split = source->shard_shape(stored(from.transposed)).ok();
  CHECK(target->shard_shape(stored(to.transposed)).ok(), to.spec.text());
  double lacking = 0;
  double held = 0;
  for (int32_t d = 0; d < mesh.device_count(); ++d) {
    const IndexBox wanted = box_of(*target, to.transposed, DeviceId(d), tokens, features);
    const double there =
        split ? volume(overlap(wanted, box_of(*source, from.transposed, DeviceId(d), tokens, features))) : 0;
    lacking = std::max(lacking, volume(wanted) - there);
    held = volume(wanted);
  }
  Resharding out;
  out.bytes = lacking * static_cast<double>(element_bytes);
  const double rate = bytes_into_device_per_s(mesh, hardware);
  if (out.bytes > 0 && rate > 0) out.seconds = out.bytes / rate + hardware.link.latency_s.value_or(0);
  if (from.transposed != to.transposed && hardware.memory.hbm_bytes_per_s) {
    out.seconds += 2 * held * static_cast<double>(element_bytes) /
                   (*hardware.memory.hbm_bytes_per_s * hardware.memory.hbm_efficiency);
  }
  return out;
}

}  // namespace shardscope
