// SPDX-License-Identifier: Apache-2.0
// The chips that a kernel runs on: memories with initialised bits, semaphores, DMAs in flight, one program
// counter per device. It moves by one action at a time; who chooses the actions is a schedule (schedule.h).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "engine/kernels/machine/clock.h"
#include "engine/kernels/program/data.h"
#include "engine/kernels/program/program.h"

namespace shardscope::kernels {

// A device does its next statement, or a DMA reads its source, or writes its target.
struct Action {
  enum class Kind : uint8_t { device, read, write };
  Kind kind = Kind::device;
  int32_t index = 0;  // device, or number of the DMA
  bool operator==(const Action&) const = default;
};

class Machine {
 public:
  // Both outlive the machine. Without `inputs` there are no numbers: accesses and semaphores alone.
  Machine(const KernelProgram& program, const KernelData* inputs);

  // What can happen now: devices that are not blocked, then DMAs in the order of their starts.
  void enabled(std::vector<Action>& out) const;
  // `action` is one of enabled().
  void apply(const Action& action);
  // Judges the end: deadlock or leaks. Called once, when nothing is enabled any more.
  void finish();

  bool complete() const;                   // every device has left the kernel, every DMA was written
  bool halted() const { return halted_; }  // an access out of bounds stopped everything
  int64_t step() const { return step_; }
  int64_t max_in_flight() const { return max_in_flight_; }
  int64_t peak_vmem() const { return peak_vmem_; }
  const std::vector<KernelFinding>& findings() const { return findings_; }
  const Numbers& numbers(int32_t device, int32_t buffer) const;
  const std::vector<uint8_t>& initialised(int32_t device, int32_t buffer) const;
  KernelFrame frame() const;
  KernelDma dma(int32_t number) const;               // one that was started
  std::string describe(const Action& action) const;  // what applying it now would do

 private:
  struct Block {  // a buffer on a device
    bool exists = true;
    Numbers numbers;
    std::vector<uint8_t> initialised;
    AccessHistory history;
    std::vector<Access> writes;
  };
  // Signals are taken in the order of their arrival: a wait knows exactly what it was told by.
  struct Arrival {
    int64_t units = 0;
    Clock clock;
  };
  struct SemaphoreState {
    int64_t value = 0;
    int64_t to_come = 0;  // units that statements not yet done, and DMAs in flight, will still bring
    std::deque<Arrival> arrivals;
    std::vector<int32_t> receives;  // DMAs that were started towards it
  };
  struct Device {
    size_t next = 0;  // statement
    bool entered = false, exited = false;
    int64_t vmem = 0;
    Clock clock;
    std::vector<Block> blocks;
    std::vector<SemaphoreState> semaphores;
  };
  struct Dma {
    Op op;
    int32_t source = 0;  // device
    Clock clock;
    bool read = false, written = false;
    Numbers numbers;
    std::vector<uint8_t> initialised;
    int64_t start_step = 0;
  };

  Device& device(int32_t d) { return devices_[static_cast<size_t>(d)]; }
  const Device& device(int32_t d) const { return devices_[static_cast<size_t>(d)]; }
  const Op& next_op(int32_t d) const;
  bool blocked(int32_t d) const;
  bool in_bounds(const Slice& slice) const;

  void run_statement(int32_t d);
  void start(int32_t d, const Op& op);
  void wait(int32_t d, const Op& op);
  void tell(int32_t d, int32_t semaphore, int64_t units, const Clock& clock);
  void compute(int32_t d, const Op& op);
  void scope(int32_t d, const Op& op);
  void leave(int32_t d, const Op& op);
  void read(int32_t number);
  void write(int32_t number);

  // machine_checks.cpp: each adds at most one finding per pair of lines and run.
  void touch(int32_t d, const Slice& slice, Access access, const Clock& clock);
  void read_initialised(int32_t d, const Slice& slice, const Access& access);
  void race(int32_t d, const Slice& slice, const Access& first, const Access& second, const Clock& clock);
  bool check_statement(int32_t d, const Op& op);
  void check_shared_receive(int32_t number);
  void check_entered(const Op& op, const Clock& clock, int32_t source, int32_t dma, bool arrived);
  void check_supply(int32_t d);
  void check_deadlock();
  void add(KernelFinding finding);
  KernelAccess describe_access(int32_t memory, const Slice& slice, const Access& access) const;

  const KernelProgram& program_;
  bool numeric_ = false;
  std::vector<Device> devices_;
  std::vector<Dma> dmas_;
  std::vector<int32_t> in_flight_;
  std::vector<KernelFinding> findings_;
  int64_t step_ = 0, max_in_flight_ = 0, peak_vmem_ = 0;
  bool halted_ = false;
};

}  // namespace shardscope::kernels
