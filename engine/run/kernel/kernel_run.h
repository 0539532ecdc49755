// SPDX-License-Identifier: Apache-2.0
// What a kernel did inside the chips: values that engine/kernels makes and that views, reports and the
// command line read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/run/kernel/kernel_layout.h"

namespace shardscope::inline run {

enum class FindingKind : uint8_t {
  read_write_race,
  write_write_race,
  source_reused,   // the source of a copy is written before its send completed
  shared_receive,  // two DMAs in flight on one receive semaphore
  deadlock,
  impossible_wait,   // a wait for more than can ever come
  leaked_semaphore,  // not 0 at exit
  out_of_bounds,     // slice or device
  uninitialised_read,
  dma_before_entry,  // a DMA or a signal arrives before the receiver entered the kernel
  dma_at_exit,       // a DMA still in flight when its sender or receiver leaves
  vmem_overflow,
  hbm_overflow,
  smem_overflow,
  semaphore_overflow,  // more semaphores than a device has
  output_revisit,      // an output block is visited again after another one
  hbm_access,          // compute on a buffer that only DMA can reach
  unwritten_output,
  wrong_result,
  wrong_spec,   // an output is whole where its out_specs call it a shard, or the other way round
  rounded_sum,  // partial products are added that were rounded before
};
const char* name(FindingKind kind);  // "read_write_race"

// One side of a finding: who did what, where in the kernel's listing and when in the schedule.
struct KernelAccess {
  int32_t device = -1;  // whose statement it is; of a DMA the device that started it
  int32_t dma = -1;     // number of the DMA, -1: the device itself
  int32_t line = 0;     // of the listing, from 1
  int64_t step = -1;    // of the schedule, from 0
  std::string text;     // "DMA 3 (1 → 2) writes out[8:16, 0:128]"
  bool operator==(const KernelAccess&) const = default;
};

struct KernelFinding {
  FindingKind kind = FindingKind::deadlock;
  int64_t step = 0;              // when it was noticed
  std::vector<int32_t> devices;  // that take part, each once
  KernelAccess first, second;    // second.device is -1 when there is only one side
  std::string message;           // one sentence without a full stop, both accesses and lines in it
  std::string missing;           // "a capacity semaphore between …"; may be empty
  bool operator==(const KernelFinding&) const = default;
};

// The same kind about the same two lines, whichever came first.
bool same_place(const KernelFinding& a, const KernelFinding& b);

// A finding over many schedules: in how many runs the same pair of lines showed it, and the first of them.
struct KernelFindingCount {
  KernelFinding finding;  // as the first run said it
  int64_t runs = 0;
  uint64_t first_seed = 0;
  bool operator==(const KernelFindingCount&) const = default;
};

// What came of a kernel under `schedules` schedules.
struct KernelRun {
  KernelLayout layout;
  int64_t schedules = 0, correct_runs = 0, wrong_runs = 0;
  std::vector<KernelFindingCount> findings;
  int64_t vmem_peak_bytes = 0;
  int64_t max_dma_in_flight = 0;
  int64_t flops = 0, needed_flops = 0;  // of all devices' dots, and of those that the result takes
  bool clean() const { return wrong_runs == 0 && findings.empty(); }
  bool operator==(const KernelRun&) const = default;
};

// A DMA that was started; done when it was written.
struct KernelDma {
  int32_t number = 0;  // in the order of their starts
  int32_t source_device = 0, target_device = 0;
  int32_t source_buffer = 0, target_buffer = 0;
  Box source, target;
  int32_t send_semaphore = -1, receive_semaphore = -1;
  int32_t line = 0;
  bool read = false;  // its source was read
  bool operator==(const KernelDma&) const = default;
};

struct KernelBufferState {
  bool exists = true;
  std::vector<uint8_t> initialised;  // one byte per element, row-major; empty when all or none are
  int64_t initialised_count = 0;
  // By row: the device whose data its first written element is, as it was read or computed there and copied
  // since; -1: nothing is written in it.
  std::vector<int16_t> owners;
  // Of an output after the last step: one byte per element, 1 where it was written and is not what it should
  // be; empty when none is, and before.
  std::vector<uint8_t> wrong;
  bool operator==(const KernelBufferState&) const = default;
};

struct KernelDeviceState {
  bool entered = false, exited = false;
  int32_t line = 0;                 // of the statement it is at; 0 when outside
  int32_t waits_for = -1;           // semaphore that blocks it, -1: none
  int64_t waits_units = 0;          // what it wants of that semaphore
  std::vector<int64_t> semaphores;  // values: bytes for DMA, counts for the others
  std::vector<KernelBufferState> buffers;
  int64_t vmem_bytes = 0;
  bool operator==(const KernelDeviceState&) const = default;
};

// Everything after the first `step` choices of a schedule.
struct KernelFrame {
  int64_t step = 0;
  std::string action;  // what the last choice did: "device 2: copy.start()", "DMA 3 lands"
  int32_t moved_device = -1, moved_dma = -1;  // who did it, -1: not a device, not a DMA
  std::vector<KernelDeviceState> devices;
  std::vector<KernelDma> in_flight;
  std::optional<KernelDma> landed;      // what the last choice wrote
  std::vector<KernelFinding> findings;  // noticed up to here
  bool operator==(const KernelFrame&) const = default;
};

}  // namespace shardscope::inline run
