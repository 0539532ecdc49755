// SPDX-License-Identifier: Apache-2.0
// Schedules: who moves next. A schedule is a policy and a seed, so the same one gives the same run always;
// the choices it made replay step by step.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/kernels/machine/machine.h"

namespace shardscope::kernels {

enum class Policy : uint8_t {
  random,       // devices and DMAs of random speeds
  slow_device,  // one device moves only when nobody else can
  dma_early,    // DMAs run as soon as they start
  dma_late,     // DMAs run only when every device is blocked
  reordered,    // younger DMAs overtake older ones
};
const char* name(Policy policy);  // "slow_device"
Result<Policy> parse_policy(std::string_view text);

struct Schedule {
  Policy policy = Policy::random;
  uint64_t seed = 0;
  bool operator==(const Schedule&) const = default;
};

// Every eighth seed each: late, early, slow device, reordered; the other half is random.
Schedule schedule_of(uint64_t seed);

class Chooser {
 public:
  Chooser(const Schedule& schedule, int32_t devices);
  // Place of the next action in `enabled`, which is not empty.
  size_t choose(const std::vector<Action>& enabled);

 private:
  uint64_t draw(uint64_t below);
  double weight(const Action& action, size_t place, size_t count) const;

  Policy policy_;
  uint64_t state_;
  int32_t slow_ = -1;
  std::vector<double> device_weights_;
  double dma_weight_ = 1;
};

// One run of a kernel.
struct Outcome {
  bool correct = false;  // it ended, and every output is what it should be
  std::vector<KernelFinding> findings;
  int64_t steps = 0, max_in_flight = 0, peak_vmem = 0;
  std::vector<Action> choices;
};

// Runs to the end; `inputs` and `expected` (empty where a buffer is not judged) may be null: then there are
// no numbers and `correct` says only whether it ended.
Outcome run_schedule(const KernelProgram& program, const KernelData* inputs, const KernelData* expected,
                     const Schedule& schedule);

// Ends a machine that cannot move any more: what its run shows, but its choices. `expected` as above.
Outcome ended(const KernelProgram& program, Machine& machine, const KernelData* expected);

// The same choices again, each possible at its turn; they may stop before the end, which nobody judges then.
Outcome run_choices(const KernelProgram& program, const KernelData* inputs, std::vector<Action> choices);

// What is wrong with the outputs of a machine that ran to its end, with numbers; `expected` may be null: then
// what their out_specs say is judged alone.
std::vector<KernelFinding> judge_outputs(const KernelProgram& program, const Machine& machine,
                                         const KernelData* expected);

}  // namespace shardscope::kernels
