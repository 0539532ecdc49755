// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/kernel_request.h"

#include <fmt/format.h>

#include "engine/base/read_file.h"
#include "engine/base/text.h"
#include "engine/kernels/catalogue/sizes.h"
#include "engine/kernels/text/entry.h"
#include "engine/kernels/text/parser.h"

namespace shardscope::inline cli {
namespace {

using kernels::KernelEntry;

Result<Mesh> read_mesh(const KernelCommandOptions& options, const KernelEntry& entry) {
  if (options.ring && options.mesh) return invalid("expected one of --ring and --mesh", "kernel");
  if (options.mesh) {
    Result<Mesh> mesh = Mesh::parse(*options.mesh);
    if (!mesh.ok()) return invalid(mesh.error().what, "--mesh", mesh.error().fix);
    return mesh;
  }
  if (options.ring) {
    if (*options.ring < 1)
      return invalid(fmt::format("a ring of {} devices", *options.ring), "--ring", "give at least 1");
    return Mesh::make({{"x", *options.ring, true}});
  }
  return kernels::default_mesh(entry);
}

// That the kernel has the sizes that were said.
Result<void> check_sizes(const kernels::KernelOptions& said, const KernelEntry& entry) {
  std::vector<std::string> unknown, own;
  for (const kernels::KernelSize& size : kernels::kernel_sizes())
    if ((said.*size.field).has_value()) unknown.emplace_back(size.name);
  if (unknown.empty()) return {};
  for (const kernels::KernelSize& size : kernels::sizes_read(entry)) {
    own.emplace_back(size.name);
    std::erase(unknown, own.back());
  }
  if (unknown.empty()) return {};
  return invalid(fmt::format("{} has no size '{}'", entry.id, unknown.front()), "--" + unknown.front(),
                 own.empty() ? "leave it out" : "its sizes are " + join(own, ", "));
}

Result<kernels::KernelOptions> read_options(const KernelCommandOptions& options, const KernelEntry& entry,
                                            const Hardware& hardware) {
  TRY_VOID(check_sizes(options.sizes, entry));
  kernels::KernelOptions out = options.sizes;
  if (!out.hbm_limit) out.hbm_limit = hardware.memory.hbm_bytes;
  TRY(out.mesh, read_mesh(options, entry));
  const auto type = parse_element_type(options.dtype);
  if (!type)
    return invalid(fmt::format("unknown dtype '{}'", options.dtype), "--dtype", "use f32, bf16 or f16");
  out.dtype = *type;
  return out;
}

}  // namespace

Result<std::optional<int64_t>> read_schedules(const KernelCommandOptions& options) {
  constexpr int64_t kMost = 1'000'000;
  if (options.schedules == "all") {
    if (options.policy == "mixed") return std::optional<int64_t>();
    return invalid("a policy picks schedules, all of them need none", "--policy", "leave it out");
  }
  const auto count = parse_int(options.schedules);
  if (!count || *count < 1 || *count > kMost)
    return invalid(fmt::format("got {} schedules", options.schedules), "--schedules",
                   fmt::format("give 1 to {}, or all", kMost));
  return count;
}

Result<kernels::Schedule> read_schedule(const KernelCommandOptions& options) {
  if (options.policy == "mixed") return kernels::schedule_of(options.seed);
  TRY(const kernels::Policy policy, kernels::parse_policy(options.policy));
  return kernels::Schedule{policy, options.seed};
}

Result<KernelEntry> read_kernel(const std::string& id) {
  if (!id.ends_with(".kernel")) return kernels::find_kernel(id);
  TRY(const std::string text, read_file(id, kernels::kMostKernelText));
  return kernels::kernel_from_text(text, id);
}

Result<RequestedKernel> read_request(const KernelCommandOptions& options) {
  RequestedKernel out;
  TRY(out.entry, read_kernel(options.id));
  TRY(out.hardware, find_hardware(options.hardware));
  TRY(out.sizes, read_options(options, out.entry, out.hardware));
  return out;
}

void add_kernel_name(CLI::App& command, KernelCommandOptions& o) {
  command.add_option("kernel", o.id, "Kernel id (see kernel list), or a file *.kernel")->required();
}

void add_kernel_options(CLI::App& command, KernelCommandOptions& o) {
  add_kernel_name(command, o);
  command.add_option("--ring", o.ring, "Devices of a ring (default: 4)");
  command.add_option("--mesh", o.mesh, "Mesh axes, as in x=2,y=2");
  command.add_option("--dtype", o.dtype, "f32, bf16 or f16 (default: f32)");
  command.add_option("--rows", o.sizes.rows, "Rows of a device's shard (collectives)");
  command.add_option("--cols", o.sizes.cols, "Columns of a device's shard (collectives)");
  command.add_option("--m", o.sizes.m, "Rows of the product");
  command.add_option("--k", o.sizes.k, "Contracted dimension of the product");
  command.add_option("--n", o.sizes.n, "Columns of the product");
  command.add_option("--bm", o.sizes.bm, "Rows of a tile");
  command.add_option("--bk", o.sizes.bk, "Contracted dimension of a tile");
  command.add_option("--bn", o.sizes.bn, "Columns of a tile");
  command.add_option("--chunks", o.sizes.chunks, "Pieces that a fused kernel overlaps");
  command.add_option("--vmem-limit", o.sizes.vmem_limit, "Bytes of vmem a kernel may take (default: 16 MiB)")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  command.add_option("--hbm-limit", o.sizes.hbm_limit, "Bytes of hbm of a device (default: the chip's)")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 50));
  command.add_option("--smem-limit", o.sizes.smem_limit, "Bytes of smem a kernel may take (default: any)")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  command.add_option("--semaphore-limit", o.sizes.semaphore_limit, "Semaphores of a device (default: any)")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  command.add_option("--hardware", o.hardware, "Preset or file (default: tpu-v5e)");
  command.add_option("--seed", o.seed, "Seed of the inputs and of the first schedule (default: 0)");
  command.add_option("--policy", o.policy,
                     "mixed, random, slow_device, dma_early, dma_late or reordered (default: mixed)");
}

}  // namespace shardscope::inline cli
