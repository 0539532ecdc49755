// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/interpreter.h"

#include <map>
#include <string_view>

#include "engine/numerics/rules/plain_program.h"

namespace shardscope {

Interpreter::Interpreter(const Program& program, const Workers& workers, bool trap_slices, Isa isa)
    : given_(program),
      plain_(plain_program(program)),
      execution_{plain_ ? *plain_ : program, workers, trap_slices, isa,
                 static_cast<size_t>(program.mesh.device_count())} {}

void Interpreter::follow(const std::vector<TimedCollective>& schedules) {
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
  bound_ = std::make_unique<RoundingBound>(execution_);
  execution_.after = [this](Step& step) { return bound_->follow(step); };
}

void Interpreter::observe(Observer observer) {
  execution_.observer = std::move(observer);
  execution_.plans.clear();
}

Result<DeviceValues> Interpreter::run(std::vector<std::vector<ViewPtr>> parameters, std::stop_token stop,
                                      const std::function<void(double)>& progress) {
  std::vector<DeviceValues> arguments;
  for (std::vector<ViewPtr>& parameter : parameters) {
    DeviceValues& values = arguments.emplace_back(execution_.devices);
    for (size_t d = 0; d < values.size(); ++d) values[d].view = std::move(parameter[d]);
  }
  return run_values(std::move(arguments), std::move(stop), progress);
}

Result<DeviceValues> Interpreter::run_values(std::vector<DeviceValues> parameters, std::stop_token stop,
                                             const std::function<void(double)>& progress) {
  if (plain_) TRY_VOID(verify(*plain_));
  execution_.stop = std::move(stop);
  execution_.progress = progress;
  auto root = run_computation(execution_, execution_.program.entry_computation(), std::move(parameters));
  execution_.after = nullptr;
  return root;
}

}  // namespace shardscope
