// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/types/all_devices.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "engine/base/text.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/sharding/tile_reader.h"

namespace shardscope::inline partitioner {
namespace {

constexpr size_t kMostNamed = 8;  // devices in a sentence

// With copies on the devices that it leaves out, an equal number for every place; none: there are none, or
// they cannot be shared out.
std::optional<HloSharding> widened(const HloSharding& sharding, int64_t devices) {
  const int64_t named = sharding.device_count();
  if (sharding.kind != HloSharding::Kind::tiled || named >= devices || devices % named != 0)
    return std::nullopt;
  std::vector<bool> used(static_cast<size_t>(devices));
  for (const int64_t device : sharding.tiles.devices) {
    if (device < 0 || device >= devices) return std::nullopt;
    used[static_cast<size_t>(device)] = true;
  }
  HloSharding out = sharding;
  std::vector<int64_t> all;
  size_t next = 0;
  for (const int64_t device : sharding.tiles.devices) {
    all.push_back(device);
    for (int64_t copy = 1; copy < devices / named; ++copy) {
      while (used[next]) ++next;
      all.push_back(static_cast<int64_t>(next++));
    }
  }
  out.tiles.devices = std::move(all);
  out.tiles.dims.push_back(devices / named);
  out.subgroups.push_back(HloSharding::Subgroup::replicated);
  return normalised(std::move(out));
}

std::string devices_words(std::vector<int64_t> devices) {
  std::ranges::sort(devices);
  if (devices.size() <= kMostNamed) return join(devices, ", ");
  return fmt::format("{}, …, {}", devices.front(), devices.back());
}

}  // namespace

std::optional<Program> on_all_devices(const Program& module, int64_t devices,
                                      std::vector<std::string>& notes) {
  std::optional<Program> out;
  const auto changed = [&]() -> Program& {
    if (!out) out = module;
    return *out;
  };
  // Who asks for devices beyond num_partitions has a module that could be on any number of them.
  if (module.mesh.device_count() == 1 && devices > 1)
    if (auto mesh = Mesh::make({{"device", devices, true}}); mesh.ok()) changed().mesh = *std::move(mesh);
  std::set<std::string> told;
  for (size_t c = 0; c < module.computations.size(); ++c) {
    for (size_t k = 0; k < module.computations[c].instructions.size(); ++k) {
      const Instruction& i = module.computations[c].instructions[k];
      if (!has_sharding(i)) continue;
      auto leaves = leaf_shardings(i);
      if (!leaves.ok()) continue;
      bool any = false;
      for (HloSharding& leaf : *leaves) {
        auto wide = widened(leaf, devices);
        if (!wide) continue;
        if (told.insert(leaf.text()).second)
          notes.push_back(
              fmt::format("sharding {} is on devices {} of {} only; the others hold copies, as {} says",
                          leaf.text(), devices_words(leaf.tiles.devices), devices, wide->text()));
        leaf = *std::move(wide);
        any = true;
      }
      if (any) put_shardings(*std::move(leaves), changed().computations[c].instructions[k]);
    }
  }
  return out;
}

}  // namespace shardscope::inline partitioner
