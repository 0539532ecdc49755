// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/cluster/link.h"
#include "engine/cluster/work_log.h"
#include "engine/numerics/rules/interpreter.h"
#include "engine/numerics/rules/ranks.h"

namespace shardscope::inline cluster {

// Devices of a mesh in equal neighbouring parts, the first ones larger by one; of as many ranks as there are
// devices at most.
struct Division {
  int64_t devices = 1;
  int ranks = 1;

  static Division of(int64_t devices, int ranks);
  int rank_of(DeviceId device) const;
  std::vector<DeviceId> devices_of(int rank) const;
};

// One rank's part in a job: the program on the devices that it has.
class Part final : public DeviceTransport {
 public:
  struct Task {
    Program program;
    std::vector<TimedCollective> schedules;
    bool trap_slices = false;
    Isa isa = Isa::baseline;
    Division division;
    int64_t number = 0;       // of the job
    int64_t clock_ahead = 0;  // of rank 0's, nanoseconds
  };
  Part(Link& link, Task task, const Workers& workers);

  const Program& program() const { return task_.program; }
  bool does(const Ranks::Job& job) const;  // whether its task is this one
  const std::vector<DeviceId>& here() const { return here_; }
  BufferPool& pool() { return interpreter_.pool(); }
  void give(std::vector<DeviceValues> parameters) { parameters_ = std::move(parameters); }

  // The program once more, begun when all ranks are ready. `go_on`: asked while it waits for others.
  Result<DeviceValues> run(int64_t job, RunLimits limits, Link::GoOn go_on,
                           const std::function<void(double)>& progress = {});
  // Of the last run.
  const std::vector<WorkEntry>& log() const { return log_; }
  int64_t started() const { return started_; }
  int64_t ended() const { return ended_; }

  Result<void> exchange(const Instruction& what, const std::vector<Delivery>& deliveries) override;
  Result<bool> agree(int64_t number) override;
  void worked(const Instruction& what, Clock::time_point start, Clock::time_point end) override;

 private:
  int32_t index_of(const Instruction& what) const;
  int64_t time_of(Clock::time_point when) const;
  void note(WorkEntry entry);

  Link& link_;
  Task task_;
  std::vector<DeviceId> here_;
  std::map<std::string, int32_t, std::less<>> index_;  // by name, of those that do something
  Interpreter interpreter_;
  std::vector<DeviceValues> parameters_;
  Link::GoOn go_on_;
  std::vector<WorkEntry> log_;
  int64_t started_ = 0, ended_ = 0;
};

}  // namespace shardscope::inline cluster
