// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/execution.h"

#include <algorithm>
#include <numeric>

#include "engine/base/units.h"
#include "engine/numerics/rules/rules.h"
#include "engine/numerics/rules/shaken.h"
#include "engine/numerics/rules/transport.h"
#include "engine/program/analysis/analysis.h"

namespace shardscope::inline numerics {

std::optional<size_t> Execution::place_of(DeviceId device) const {
  if (here.empty()) return static_cast<size_t>(device.value);
  const auto found = std::lower_bound(here.begin(), here.end(), device);
  if (found == here.end() || *found != device) return std::nullopt;
  return static_cast<size_t>(found - here.begin());
}

std::vector<ViewPtr> Step::views(size_t k) {
  std::vector<ViewPtr> views;
  for (size_t d = 0; d < devices(); ++d) views.push_back(view(k, d));
  return views;
}

std::vector<ViewPtr> Step::arrays(size_t k) {
  return plain(views(k));
}

std::vector<ViewPtr> Step::result_views() {
  std::vector<ViewPtr> views;
  for (const DeviceValue& value : results()) views.push_back(run.scalars.view_of(value, at().shape.type));
  return views;
}

std::vector<size_t> Step::first_alike(const std::vector<InstructionId>& read) {
  const auto order_of = [&](size_t a, size_t b) {
    for (const InstructionId value : read) {
      const DeviceValue &x = frame.of(value)[a], &y = frame.of(value)[b];
      const auto order = std::pair(x.view.get(), x.scalar) <=> std::pair(y.view.get(), y.scalar);
      if (order != 0) return order;
    }
    return std::strong_ordering::equal;
  };
  std::vector<size_t> order(devices()), first(devices());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const auto o = order_of(a, b);
    return o != 0 ? o < 0 : a < b;
  });
  for (size_t at = 0; at < order.size(); ++at) {
    const bool starts = at == 0 || order_of(order[at - 1], order[at]) != 0;
    first[order[at]] = starts ? order[at] : first[order[at - 1]];
  }
  return first;
}

std::vector<ViewPtr> Step::plain(const std::vector<ViewPtr>& views) const {
  return materialise(views, run.pool, run.loops);
}

std::vector<Array> Step::new_arrays() const {
  std::vector<Array> arrays;
  for (size_t d = 0; d < devices(); ++d) arrays.push_back(run.pool.take(at().shape.type, at().shape.dims));
  return arrays;
}

void Step::give(const std::vector<Array>& arrays) {
  for (size_t d = 0; d < devices(); ++d) results()[d].view = std::make_shared<View>(View::of(arrays[d]));
}

namespace {

// Dots that waited for an instruction are its work: made as one product, they share its time evenly.
void tell_work(const Step& step, DeviceTransport::Clock::time_point start) {
  const auto end = DeviceTransport::Clock::now();
  const auto sum = step.frame.plan.sums.find(step.id.value);
  if (sum == step.frame.plan.sums.end()) return step.run.transport->worked(step.at(), start, end);
  const std::vector<InstructionId>& dots = sum->second.dots;
  const auto each = (end - start) / std::ssize(dots);
  for (size_t d = 0; d < dots.size(); ++d) {
    const auto begin = start + each * static_cast<int64_t>(d);
    step.run.transport->worked(step.frame.at(dots[d]), begin, d + 1 == dots.size() ? end : begin + each);
  }
}

// Not one that was made to apply another to many elements.
bool is_of(const Program& program, const Computation& computation) {
  return std::any_of(program.computations.begin(), program.computations.end(),
                     [&](const Computation& own) { return &own == &computation; });
}

}  // namespace

Result<DeviceValues> run_computation(Execution& run, const Computation& computation,
                                     std::vector<DeviceValues> arguments) {
  auto planned = run.plans.find(&computation);
  if (planned == run.plans.end()) {
    const bool apart = run.after || run.transport != nullptr;
    const DotPlan dots = run.observer || run.shaken ? DotPlan::alone
                         : apart                    ? DotPlan::summed
                                                    : DotPlan::joint;
    planned = run.plans.emplace(&computation, make_plan(computation, dots)).first;
  }
  const ComputationPlan& plan = planned->second;
  const size_t count = computation.instructions.size();
  Frame frame{computation, plan, std::move(arguments), std::vector<DeviceValues>(count)};
  const bool observed = run.observer && is_of(run.program, computation);
  const bool is_entry = &computation == &run.program.entry_computation();
  if (is_entry) run.parts = 0, run.loop_seconds = 0;
  if (!is_entry && is_of(run.program, computation)) ++run.parts;  // lifted ones are no calls
  if (run.parts > kMostParts)
    return too_big(
        "the program runs calls and rounds of loops more than " + group_digits(kMostParts) + " times",
        "computation " + computation.name, "say --check off to time it only");
  for (size_t at = 0; at < count; ++at) {
    const auto n = static_cast<size_t>(plan.order[at]);
    if (run.stop.stop_requested()) return cancelled();
    if (!plan.deferred[n]) {
      Step step{run, frame, InstructionId(static_cast<int64_t>(n))};
      step.results().resize(run.devices);
      const auto start =
          run.transport != nullptr ? DeviceTransport::Clock::now() : DeviceTransport::Clock::time_point();
      TRY_VOID(run_instruction(step));
      if (run.shaken) TRY_VOID(shake(step));
      if (run.transport != nullptr) tell_work(step, start);
      if (is_entry && run.after) TRY_VOID(run.after(step));
      if (observed) run.observer({computation, step.id, step.results()});
      for (const int32_t dead : plan.dying[n]) {
        frame.panels.erase(dead);
        frame.values[static_cast<size_t>(dead)].clear();
      }
    }
    if (is_entry && run.progress) run.progress(static_cast<double>(at + 1) / static_cast<double>(count));
  }
  if (run.stop.stop_requested()) return cancelled();
  return std::move(frame.of(computation.root));
}

const Computation* called_computation(const Program& program, const Instruction& i, std::string_view key) {
  for (const CalledComputation& called : i.called)
    if (called.key == key) return &program.computation(called.computation);
  return nullptr;
}

Result<Opcode> reducer_of(const Program& program, const Instruction& i, std::string_view key) {
  if (key == "to_apply")
    if (const Opcode known = reducer_opcode(program, i); is_known(known)) return known;
  if (const Computation* reducer = called_computation(program, i, key)) {
    const Instruction& root = reducer->root_instruction();
    const auto number = [&](size_t k) { return reducer->at(root.operands[k]).parameter_number; };
    const bool binary = root.operands.size() == 2 && is_elementwise(root.opcode);
    if (binary && number(0) == 0 && number(1) == 1) return root.opcode;
    if (binary && number(0) == 1 && number(1) == 0 && is_reducer(root.opcode)) return root.opcode;
  }
  return cannot_run(i, " with a reducer that is not one elementwise operation");
}

const GroupMembers& groups_of(Execution& run, const Instruction& collective) {
  const auto [it, fresh] = run.groups.try_emplace(&collective);
  if (fresh) it->second = device_groups(run.program, collective);
  return it->second;
}

Error cannot_run(const Instruction& instruction, const std::string& why) {
  return invalid("cannot run " + std::string(opcode_text(instruction)) + why, "%" + instruction.name,
                 "say --check off to time it only");
}

Error cannot_compute(const Instruction& i) {
  return invalid("cannot run " + std::string(opcode_text(i.opcode)) + " of " + i.shape.text(), "%" + i.name,
                 "say --check off to time it only");
}

}  // namespace shardscope::inline numerics
