// SPDX-License-Identifier: Apache-2.0
// What the chips that a kernel runs on are like at one moment: memories with initialised bits, semaphores,
// DMAs in flight, one program counter per device. Statements (machine.cpp) change it, checks judge it.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "engine/kernels/machine/clock.h"
#include "engine/kernels/program/data.h"
#include "engine/kernels/program/program.h"

namespace shardscope::kernels {

struct MachineState {
  struct Block {  // a buffer on a device
    bool exists = true;
    Numbers numbers;
    std::vector<uint8_t> initialised;  // by element: 0, or written_by the device whose data it is
    AccessHistory history;
    std::vector<Access> writes;
  };
  // Signals are taken in the order of their arrival: a wait knows exactly what it was told by.
  struct Arrival {
    int64_t units = 0;
    Clock clock;
  };
  struct Semaphore {
    int64_t value = 0;
    int64_t to_come = 0;  // units that statements not yet done, and DMAs in flight, will still bring
    std::deque<Arrival> arrivals;
    std::vector<int32_t> receives;  // DMAs that were started towards it
  };
  struct Device {
    size_t next = 0;  // statement
    bool entered = false;
    bool exited = false;
    int64_t vmem = 0;
    Clock clock;
    std::vector<Block> blocks;
    std::vector<Semaphore> semaphores;
  };
  struct Dma {
    Op op;
    int32_t source = 0;  // device
    Clock clock;
    bool read = false;
    bool written = false;
    Numbers numbers;
    std::vector<uint8_t> initialised;
    int64_t start_step = 0;
  };

  const KernelProgram* program = nullptr;
  bool numeric = false;
  std::vector<Device> devices;
  std::vector<Dma> dmas;
  std::vector<int32_t> in_flight;
  std::vector<KernelFinding> findings;
  int64_t step = 0, max_in_flight = 0, peak_vmem = 0;
  bool halted = false;  // an access out of bounds stopped everything

  Device& device(int32_t d) { return devices[static_cast<size_t>(d)]; }
  const Device& device(int32_t d) const { return devices[static_cast<size_t>(d)]; }
  const Dma& dma(int32_t number) const { return dmas[static_cast<size_t>(number)]; }
  const Op& next_op(int32_t d) const { return program->devices[static_cast<size_t>(d)][device(d).next]; }
  bool blocked(int32_t d) const;  // it waits for what has not come
  bool complete() const;          // every device has left the kernel, every DMA was written
};

// 254 devices have a number of their own, the others share the last one.
constexpr uint8_t written_by(int32_t device) {
  return static_cast<uint8_t>(device < 254 ? device + 1 : 255);
}

// Accesses. machine_checks.cpp: each adds at most one finding per pair of lines and run.
void touch(MachineState& m, int32_t d, const Slice& slice, Access access, const Clock& clock);
void read_initialised(MachineState& m, int32_t d, const Slice& slice, const Access& access);
void compute(MachineState& m, int32_t d, const Op& op);

bool check_statement(MachineState& m, int32_t d, const Op& op);  // false: it cannot be done
void check_shared_receive(MachineState& m, int32_t number);
// `dma`: -1 for a signal. `arrived`: the device is in the kernel by now.
void check_entered(MachineState& m, const Op& op, const Clock& clock, int32_t source, int32_t dma,
                   bool arrived);
void check_exit(MachineState& m, int32_t d, const Op& op);
void check_supply(MachineState& m, int32_t d);
void check_end(MachineState& m);  // deadlock, or leaks
void add_finding(MachineState& m, KernelFinding finding);

}  // namespace shardscope::kernels
