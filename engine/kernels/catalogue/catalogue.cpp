// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/catalogue/catalogue.h"

#include <fmt/format.h>
#include <optional>
#include <utility>

#include "engine/base/text.h"
#include "engine/kernels/catalogue/library.h"
#include "engine/kernels/program/expected.h"

namespace shardscope::kernels {

const std::vector<KernelEntry>& catalogue() {
  static const std::vector<KernelEntry> kEntries = {
      {"ag.ring", "All-gather round a ring, a receive semaphore per step", false, "", 1, ag_ring,
       expect_gathered},
      {"ag.ring.one_semaphore", "The same with one receive semaphore for all steps", true, "ag.ring", 1,
       ag_ring_one_semaphore, expect_gathered},
      {"ag.ring.no_barrier", "The same without an entry barrier", true, "ag.ring", 1, ag_ring_no_barrier,
       expect_gathered},
      {"ag.bidi.halves", "All-gather both ways, half shards each way", false, "", 1, ag_bidi_halves,
       expect_gathered},
      {"ag.bidi.whole", "All-gather both ways, whole shards: broken on even rings", true, "ag.bidi.halves", 1,
       ag_bidi_whole, expect_gathered},
      {"ag.bidi.seed", "The notebook's all-gather both ways, grid 1: right on a ring of 3 alone", true,
       "ag.bidi.halves", 1, ag_bidi_seed, expect_gathered},
      {"ar.one_hop", "All-reduce by one hop: right on a ring of 2 alone", false, "ar.two_slot", 1, ar_one_hop,
       expect_summed},
      {"ar.seed", "The notebook's all-reduce: adds a scratch that nobody writes", true, "ar.one_hop", 1,
       ar_seed, expect_summed},
      {"ar.two_slot", "All-reduce round a ring through two slots and a capacity semaphore", false, "", 1,
       ar_two_slot, expect_summed},
      {"ar.two_slot.no_capacity", "The same without the capacity semaphore", true, "ar.two_slot", 1,
       ar_two_slot_no_capacity, expect_summed},
      {"rs.bidi", "Reduce-scatter both ways, half blocks, two capacity semaphores", false, "", 1, rs_bidi,
       expect_scattered},
      {"permute", "Every device hands its array to the right", false, "", 1, permute, expect_permuted},
      {"matmul.tiled", "Tiled product, f32 scratch, tiles at the edges as small as what is left", false, "",
       0, matmul_tiled, expect_product},
      {"matmul.tiled.as_written", "The notebook's tiled product, which drops what does not fill a tile", true,
       "matmul.tiled", 0, matmul_tiled_as_written, expect_product},
      {"ag_matmul.fused_seed", "The notebook's fused gather and product: one wasted, right on 2 × 2 alone",
       true, "ag_matmul.fused", 2, ag_matmul_fused_seed, expect_block_product},
      {"ag_matmul.fused", "Product in chunks that overlap the exchange of the weights", false, "", 2,
       ag_matmul_fused, expect_block_product},
      {"slow_ag_gemm_ar", "All-gather, product, all-reduce one after the other, on any grid", false, "", 2,
       slow_ag_gemm_ar, expect_whole_product},
  };
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
  if (o.mesh.rank() > 3) return invalid("kernels know meshes of up to 3 axes", entry.id);
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
