// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/run/kernel/kernel_run.h"
#include "engine/run/kernel/kernel_time.h"

namespace shardscope::inline run {

const char* name(MemorySpace space) {
  constexpr const char* kNames[] = {"hbm", "vmem", "smem"};
  return kNames[static_cast<size_t>(space)];
}

const char* name(SemaphoreKind kind) {
  constexpr const char* kNames[] = {"dma", "regular", "barrier"};
  return kNames[static_cast<size_t>(kind)];
}

const char* name(KernelLane lane) {
  constexpr const char* kNames[] = {"mxu", "hbm", "link", "wait"};
  return kNames[static_cast<size_t>(lane)];
}

const char* name(FindingKind kind) {
  switch (kind) {
    case FindingKind::read_write_race:
      return "read_write_race";
    case FindingKind::write_write_race:
      return "write_write_race";
    case FindingKind::source_reused:
      return "source_reused";
    case FindingKind::shared_receive:
      return "shared_receive";
    case FindingKind::deadlock:
      return "deadlock";
    case FindingKind::impossible_wait:
      return "impossible_wait";
    case FindingKind::leaked_semaphore:
      return "leaked_semaphore";
    case FindingKind::out_of_bounds:
      return "out_of_bounds";
    case FindingKind::uninitialised_read:
      return "uninitialised_read";
    case FindingKind::dma_before_entry:
      return "dma_before_entry";
    case FindingKind::dma_at_exit:
      return "dma_at_exit";
    case FindingKind::vmem_overflow:
      return "vmem_overflow";
    case FindingKind::hbm_overflow:
      return "hbm_overflow";
    case FindingKind::smem_overflow:
      return "smem_overflow";
    case FindingKind::semaphore_overflow:
      return "semaphore_overflow";
    case FindingKind::output_revisit:
      return "output_revisit";
    case FindingKind::hbm_access:
      return "hbm_access";
    case FindingKind::unwritten_output:
      return "unwritten_output";
    case FindingKind::wrong_result:
      return "wrong_result";
    case FindingKind::wrong_spec:
      return "wrong_spec";
    case FindingKind::rounded_sum:
      return "rounded_sum";
  }
  return "";
}

bool same_place(const KernelFinding& a, const KernelFinding& b) {
  return a.kind == b.kind &&
         std::minmax(a.first.line, a.second.line) == std::minmax(b.first.line, b.second.line);
}

}  // namespace shardscope::inline run
