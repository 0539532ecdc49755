// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/layouts_between.h"

#include <algorithm>

#include "engine/hardware/fabric.h"
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

}  // namespace

Resharding resharding(const Mesh& mesh, const Hardware& hardware, const ActivationLayout& from,
                      const ActivationLayout& to, const ActivationSize& size) {
  const auto [tokens, features, element_bytes] = size;
  if (from == to || mesh.device_count() == 1) return {};
  const Result<NamedSharding> source = NamedSharding::make(mesh, from.spec);
  const Result<NamedSharding> target = NamedSharding::make(mesh, to.spec);
  CHECK(source.ok() && target.ok(), from.spec.text(), to.spec.text());
  const auto stored = [&size](bool transposed) {
    return transposed ? std::vector<int64_t>{size.features, size.tokens}
                      : std::vector<int64_t>{size.tokens, size.features};
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
  const Result<Fabric> fabric = Fabric::make(mesh, hardware);
  if (out.bytes > 0 && fabric.ok() && fabric->link_error().ok())
    out.seconds = fabric->link_costs().latency_s + out.bytes / rate_into_device(*fabric, mesh);
  const Result<double> memory = memory_rate(hardware);
  if (from.transposed != to.transposed && memory.ok())
    out.seconds += 2 * held * static_cast<double>(element_bytes) / *memory;
  return out;
}

}  // namespace shardscope
