// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/interpreter.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string_view>
#include <utility>

#include "engine/numerics/plan/plain_program.h"

namespace shardscope::inline numerics {
namespace {

// Of memory, and of what loops hold: for larger executions the way to a loop is no part of the time.
constexpr int64_t kMostRecorded = int64_t{64} << 20;

// How many own each view of these values and its memory.
void count_owners(const DeviceValues& values, std::vector<long>& out) {
  for (const DeviceValue& value : values) {
    count_owners(value.elements, out);
    if (value.view == nullptr) continue;
    out.push_back(value.view.use_count());
    for (const View::Piece& piece : value.view->pieces()) out.push_back(piece.buffer.use_count());
  }
}

std::vector<long> owners_of(const DeviceValues& values) {
  std::vector<long> owners;
  count_owners(values, owners);
  return owners;
}

// For one execution: its memory, and who follows it.
class Lent {
 public:
  Lent(Execution& run, BufferPool pool) : run_(run), own_(std::exchange(run.pool, std::move(pool))) {}
  ~Lent() {
    run_.pool = own_;
    run_.after = nullptr;
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

 private:
  Execution& run_;
  BufferPool own_;
};

}  // namespace

// An execution as its loops, the memory they know by address, and what it gave.
struct Interpreter::Recording {
  BufferPool pool = BufferPool::of_everything();
  std::vector<ParallelLoop> loops{};
  DeviceValues root{};
  std::vector<long> owners{};  // of the root, while nobody else has it

  bool is_free() const { return pool.whole() && owners_of(root) == owners; }
};

Interpreter::~Interpreter() = default;

Interpreter::Interpreter(const Program& program, const Workers& workers, bool trap_slices, Isa isa)
    : given_(program),
      plain_(plain_program(program)),
      execution_{plain_ ? *plain_ : program, workers, trap_slices, isa,
                 static_cast<size_t>(program.mesh.device_count())} {}

void Interpreter::follow(const std::vector<TimedCollective>& schedules) {
  recording_ = nullptr;
  schedules_ = schedules;
  std::map<std::string_view, const Instruction*> by_name;  // of the plain program, which keeps names
  if (plain_) {
    for (const Computation& c : plain_->computations)
      for (const Instruction& i : c.instructions) by_name[i.name] = &i;
  }
  for (const TimedCollective& timed : schedules) {
    const Instruction* i = &given_.by_global_index(timed.instruction);
    if (plain_) i = by_name[i->name];
    if (i != nullptr) execution_.schedules[i] = timed.schedule;
  }
}

void Interpreter::bound_roundings() {
  execution_.plans.clear();
  bound_ = std::make_unique<RoundingBound>(execution_);
  execution_.after = [this](Step& step) { return bound_->follow(step); };
}

void Interpreter::observe(Observer observer) {
  execution_.observer = std::move(observer);
  recording_ = nullptr;
  execution_.plans.clear();
}

Result<DeviceValues> Interpreter::run(std::vector<std::vector<ViewPtr>> parameters, RunLimits limits,
                                      const std::function<void(double)>& progress) {
  std::vector<DeviceValues> arguments;
  for (std::vector<ViewPtr>& parameter : parameters) {
    DeviceValues& values = arguments.emplace_back(execution_.devices);
    for (size_t d = 0; d < values.size(); ++d) values[d].view = std::move(parameter[d]);
  }
  return run_values(std::move(arguments), std::move(limits), progress);
}

void Interpreter::share(std::vector<DeviceId> here, DeviceTransport& transport) {
  execution_.devices = here.size();
  execution_.here = std::move(here);
  execution_.transport = &transport;
}

Result<DeviceValues> Interpreter::run_values(std::vector<DeviceValues> parameters, RunLimits limits,
                                             const std::function<void(double)>& progress) {
  Ranks* const ranks = execution_.devices > 1 ? limits.ranks : nullptr;
  if (ranks != nullptr) {
    // What roundings can do is followed where all values are: here.
    if (execution_.after) TRY_VOID(run_here(parameters, limits, {}));
    auto root = ranks->run({given_, schedules_, execution_.trap_slices, execution_.isa},
                           std::move(parameters), limits, progress);
    seconds_ = ranks->seconds();
    return root;
  }
  const auto start = std::chrono::steady_clock::now();
  auto root = run_here(std::move(parameters), std::move(limits), progress);
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return root;
}

Result<DeviceValues> Interpreter::run_here(std::vector<DeviceValues> parameters, RunLimits limits,
                                           const std::function<void(double)>& progress) {
  if (plain_) TRY_VOID(verify(*plain_));
  execution_.stop = std::move(limits.stop);
  execution_.most_loop_seconds = limits.loop_seconds;
  execution_.progress = progress;
  if (std::exchange(execution_.shaken, limits.shaken) != limits.shaken) execution_.plans.clear();
  const bool again = parameters_.are(parameters),
             followed = execution_.observer || execution_.after || execution_.shaken;
  if (!again) recording_ = nullptr;
  if (recording_ && !followed && recording_->is_free()) return play(*recording_);
  std::unique_ptr<Recording> recording;
  if (again && !followed && !recording_ && worth_recording_) recording = std::make_unique<Recording>();
  parameters_.note(parameters);

  const int64_t taken = execution_.pool.taken();
  Loops& loops = execution_.loops;
  loops.begin(recording ? &recording->loops : nullptr);
  execution_.packed.begin(parameters, recording != nullptr);
  auto root = [&] {
    const Lent lent(execution_, recording ? recording->pool : execution_.pool);
    return run_computation(execution_, execution_.program.entry_computation(), std::move(parameters));
  }();
  execution_.packed.end();
  worth_recording_ = root.ok() && loops.whole() && loops.bytes() <= kMostRecorded &&
                     execution_.pool.taken() - taken <= kMostRecorded;
  if (recording && root.ok() && loops.whole()) {
    recording->root = *std::move(root);
    recording->owners = owners_of(recording->root);
    recording_ = std::move(recording);
    return recording_->root;
  }
  return root;
}

Result<DeviceValues> Interpreter::play(const Recording& recording) {
  const std::vector<ParallelLoop>& loops = recording.loops;
  for (size_t l = 0; l < loops.size(); ++l) {
    if (execution_.stop.stop_requested()) return cancelled();
    execution_.workers.parallel_for(loops[l].count, loops[l].body);
    if (execution_.progress)
      execution_.progress(static_cast<double>(l + 1) / static_cast<double>(loops.size()));
  }
  if (execution_.stop.stop_requested()) return cancelled();
  return recording.root;
}

}  // namespace shardscope::inline numerics
