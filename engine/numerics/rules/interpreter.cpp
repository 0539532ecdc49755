// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/interpreter.h"

#include "engine/numerics/rules/plain_program.h"

namespace shardscope {

Interpreter::Interpreter(const Program& program, const Workers& workers, bool trap_slices, Isa isa)
    : plain_(plain_program(program)),
      execution_{plain_ ? *plain_ : program, workers, trap_slices, isa,
                 static_cast<size_t>(program.mesh.device_count())} {}

void Interpreter::observe(Observer observer) {
  execution_.observer = std::move(observer);
  execution_.plans.clear();
}

Result<DeviceValues> Interpreter::run(const std::vector<std::vector<ViewPtr>>& parameters,
                                      std::stop_token stop, const std::function<void(double)>& progress) {
  std::vector<DeviceValues> arguments;
  for (const std::vector<ViewPtr>& parameter : parameters) {
    DeviceValues& values = arguments.emplace_back(execution_.devices);
    for (size_t d = 0; d < values.size(); ++d) values[d].view = parameter[d];
  }
  return run_values(std::move(arguments), std::move(stop), progress);
}

Result<DeviceValues> Interpreter::run_values(std::vector<DeviceValues> parameters, std::stop_token stop,
                                             const std::function<void(double)>& progress) {
  if (plain_) TRY_VOID(verify(*plain_));
  execution_.stop = std::move(stop);
  execution_.progress = progress;
  return run_computation(execution_, execution_.program.entry_computation(), std::move(parameters));
}

}  // namespace shardscope
