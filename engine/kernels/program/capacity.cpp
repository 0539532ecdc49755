// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/program/capacity.h"

#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace shardscope::kernels {

namespace {

// What is asked for at most, and the line that asks for it.
struct Need {
  int64_t amount = 0;
  int32_t line = 1;
};

// Bytes of the buffers that exist all the time.
int64_t resident_bytes(const KernelProgram& program, MemorySpace space) {
  int64_t bytes = 0;
  for (const KernelBuffer& buffer : program.layout.buffers) {
    if (buffer.space == space && !buffer.scoped) bytes += buffer.bytes();
  }
  return bytes;
}

Need peak_vmem(const KernelProgram& program) {
  const int64_t resident = resident_bytes(program, MemorySpace::vmem);
  Need peak{resident, 1};
  for (const auto& ops : program.devices) {
    int64_t now = resident;
    for (const Op& op : ops) {
      if (op.kind == OpKind::alloc) now += program.buffer(op.dst.buffer).bytes();
      if (op.kind == OpKind::free) now -= program.buffer(op.dst.buffer).bytes();
      if (now > peak.amount) peak = {now, op.line};
    }
  }
  return peak;
}

void add_overflow(KernelProgram& program, FindingKind kind, const Need& need, std::string message,
                  std::string missing) {
  KernelFinding finding;
  finding.kind = kind;
  finding.devices.resize(program.devices.size());
  std::iota(finding.devices.begin(), finding.devices.end(), 0);
  finding.message = std::move(message);
  finding.first = {0, -1, need.line, 0, finding.message};
  finding.missing = std::move(missing);
  program.defects.push_back(std::move(finding));
}

}  // namespace

void check_capacities(KernelProgram& program, const KernelOptions& options) {
  const Need vmem = peak_vmem(program);
  program.peak_vmem = vmem.amount;
  if (vmem.amount > options.vmem_limit) {
    add_overflow(program, FindingKind::vmem_overflow, vmem,
                 fmt::format("buffers in vmem take {} bytes at line {}, the limit is {}", vmem.amount,
                             vmem.line, options.vmem_limit),
                 fmt::format("{} bytes of vmem, or smaller tiles", vmem.amount - options.vmem_limit));
  }
  const auto check_resident = [&](FindingKind kind, MemorySpace space, const std::optional<int64_t>& limit,
                                  const char* instead) {
    const Need need{resident_bytes(program, space), 1};
    if (!limit || need.amount <= *limit) return;
    add_overflow(
        program, kind, need,
        fmt::format("buffers in {} take {} bytes, the limit is {}", name(space), need.amount, *limit),
        fmt::format("{} bytes of {}, or {}", need.amount - *limit, name(space), instead));
  };
  check_resident(FindingKind::hbm_overflow, MemorySpace::hbm, options.hbm_limit, "smaller arrays");
  check_resident(FindingKind::smem_overflow, MemorySpace::smem, options.smem_limit,
                 "scalars alone: arrays belong in vmem");
  const Need semaphores{static_cast<int64_t>(program.layout.semaphores.size()), 1};
  if (options.semaphore_limit && semaphores.amount > *options.semaphore_limit) {
    add_overflow(program, FindingKind::semaphore_overflow, semaphores,
                 fmt::format("the kernel declares {} semaphores, a device has {}", semaphores.amount,
                             *options.semaphore_limit),
                 fmt::format("{} semaphores less, each used again once it is 0",
                             semaphores.amount - *options.semaphore_limit));
  }
}

}  // namespace shardscope::kernels
