// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/catalogue/catalogue.h"

#include <fmt/format.h>
#include <optional>
#include <utility>

#include "engine/base/text.h"
#include "engine/kernels/catalogue/library.h"

namespace shardscope::kernels {
namespace {

// In display order.
constexpr Kernels* kFamilies[] = {gather_kernels,  bidirectional_kernels, reduce_kernels,
                                  permute_kernels, product_kernels,       chain_kernels};

}  // namespace

const std::vector<KernelEntry>& catalogue() {
  static const std::vector<KernelEntry> kEntries = [] {
    std::vector<KernelEntry> all;
    for (const auto family : kFamilies) {
      for (KernelEntry& entry : family()) all.push_back(std::move(entry));
    }
    return all;
  }();
  return kEntries;
}

Result<KernelEntry> find_kernel(std::string_view id) {
  std::vector<std::string> ids;
  for (const KernelEntry& entry : catalogue()) {
    if (entry.id == id) return entry;
    ids.push_back(entry.id);
  }
  const auto near = nearest(id, ids);
  return invalid(fmt::format("unknown kernel '{}'", id), "kernel",
                 near ? fmt::format("did you mean {}", *near) : std::string("see shardscope kernel list"));
}

namespace {

constexpr int64_t kMaxDevices = 512;
constexpr int64_t kMaxSize = int64_t{1} << 20;

Result<void> check_options(const KernelEntry& entry, const KernelOptions& o) {
  if (o.mesh.rank() < entry.axes) {
    return invalid(fmt::format("needs a mesh of {} axes, got {}", entry.axes, o.mesh.rank()), entry.id,
                   entry.axes == 1 ? "give --ring 4" : "give --mesh x=2,y=2");
  }
  if (o.mesh.rank() > 3) return invalid("kernels support meshes of up to 3 axes", entry.id);
  if (o.mesh.device_count() > kMaxDevices) {
    return invalid(fmt::format("the mesh has {} devices", o.mesh.device_count()), entry.id,
                   fmt::format("kernels run on up to {}", kMaxDevices));
  }
  if (o.dtype != ElementType::f32 && o.dtype != ElementType::bf16 && o.dtype != ElementType::f16)
    return invalid(fmt::format("kernels have no {}", name(o.dtype)), "--dtype", "use f32, bf16 or f16");
  const std::pair<const char*, std::optional<int64_t>> sizes[] = {
      {"rows", o.rows}, {"cols", o.cols}, {"m", o.m},   {"k", o.k},          {"n", o.n},
      {"bm", o.bm},     {"bk", o.bk},     {"bn", o.bn}, {"chunks", o.chunks}};
  for (const auto& [size, value] : sizes) {
    if (value && (*value < 1 || *value > kMaxSize))
      return invalid(fmt::format("{} is {}, expected 1 to {}", size, *value, kMaxSize), entry.id);
  }
  return {};
}

}  // namespace

Result<KernelProgram> build_kernel(const KernelEntry& entry, const KernelOptions& options) {
  TRY_VOID(check_options(entry, options));
  return build_kernel(entry.id, entry.body, options);
}

}  // namespace shardscope::kernels
