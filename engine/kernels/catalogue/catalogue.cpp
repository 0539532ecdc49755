// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/catalogue/catalogue.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "engine/base/embedded_file.h"
#include "engine/base/text.h"
#include "engine/kernels/program/expected.h"
#include "engine/kernels/program/sizes.h"
#include "engine/kernels/text/entry.h"

namespace shardscope::embedded {
std::span<const EmbeddedFile> kernel_files();  // compiled in by CMakeLists.txt
}  // namespace shardscope::embedded

namespace shardscope::kernels {
const std::vector<KernelEntry>& catalogue() {
  static const std::vector<KernelEntry> kEntries = [] {
    std::vector<KernelEntry> all;
    for (const EmbeddedFile& file : embedded::kernel_files()) {
      Result<KernelEntry> entry = kernel_from_text(file.text, "");
      CHECK(entry.ok(), file.name, entry.ok() ? "" : entry.error().text());
      all.push_back(*std::move(entry));
    }
    std::ranges::sort(all, {}, &KernelEntry::id);
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
  for (const KernelSize& size : kernel_sizes()) {
    const std::optional<int64_t>& value = o.*size.field;
    if (value && (*value < 1 || *value > kMaxSize))
      return invalid(fmt::format("{} is {}, expected 1 to {}", size.name, *value, kMaxSize), entry.id);
  }
  return {};
}

}  // namespace

Result<KernelProgram> build_kernel(const KernelEntry& entry, const KernelOptions& options) {
  TRY_VOID(check_options(entry, options));
  TRY(KernelProgram program,
      build_kernel(entry.where.empty() ? entry.id : entry.where, entry.body, options, entry.listing));
  program.layout.kernel = entry.id;
  if (!entry.result.empty()) {
    if (const auto fits = check_expected(program, entry.result); !fits.ok())
      return invalid(fits.error().what, entry.where);
  }
  return program;
}

}  // namespace shardscope::kernels
