// SPDX-License-Identifier: Apache-2.0
// What devices give each other. Gathers, permutes and all-to-alls are views of the senders' arrays; sums run
// in the order of the schedule, each rounded to the element type of the instruction.
#include <algorithm>
#include <map>

#include "engine/base/check.h"
#include "engine/numerics/array/element.h"
#include "engine/numerics/rules/collective_sum.h"
#include "engine/numerics/rules/rules.h"
#include "engine/numerics/rules/run_between.h"

namespace shardscope::inline numerics {
namespace {

size_t place(DeviceId device) {
  return static_cast<size_t>(device.value);
}

Result<void> check_type(Step& step) {
  const ElementType type = step.operand_shape(0).type;
  if (element::has_arrays(type)) return {};
  return invalid(std::string("cannot run collectives of ") + name(type), "%" + step.at().name);
}

Result<void> check_one_array(Step& step) {
  const Instruction& i = step.at();
  if (i.operands.size() == 1 && !i.shape.is_tuple) return check_type(step);
  return invalid("cannot run " + std::string(opcode_text(i.opcode)) + " of several arrays", "%" + i.name);
}

// The operand of a group's members.
std::vector<ViewPtr> views_of(Step& step, const std::vector<DeviceId>& group) {
  std::vector<ViewPtr> views;
  views.reserve(group.size());
  for (const DeviceId member : group) views.push_back(step.view(0, place(member)));
  return views;
}

// What `join` makes of the views, or of plain copies where their factors do not allow it.
ViewPtr joined(Step& step, std::vector<ViewPtr> views,
               const std::function<std::optional<View>(const std::vector<ViewPtr>&)>& join) {
  std::optional<View> view = join(views);
  if (!view) {
    views = step.plain(views);
    view = join(views);
  }
  CHECK(view.has_value(), step.at().name);
  return std::make_shared<const View>(*std::move(view));
}

std::optional<View> concatenated(const std::vector<View>& views, size_t dim) {
  std::vector<const View*> parts;
  parts.reserve(views.size());
  for (const View& view : views) parts.push_back(&view);
  return View::concatenate(parts, dim);
}

// Part r of `parts` equal ones along a dimension.
std::optional<View> part_of(const View& view, size_t dim, size_t r, size_t parts) {
  const int64_t size = view.dims()[dim] / static_cast<int64_t>(parts);
  return view.slice(dim, static_cast<int64_t>(r) * size, static_cast<int64_t>(r + 1) * size);
}

// Every result in the order of the schedule: devices that have the same share it, the others of a rooted one
// have zeros.
Result<void> run_sum(Step& step) {
  TRY_VOID(check_collective(step));
  TRY(const ElementwiseKernel kernel, collective_kernel(step));
  // Sums read members in the same order of elements: views that are not plain are copied first.
  const std::vector<ViewPtr> operands = step.arrays(0);
  std::vector<const std::byte*> memory;
  memory.reserve(operands.size());
  for (const ViewPtr& operand : operands) memory.push_back(operand->data());
  const auto sums = std::make_shared<const std::vector<CollectiveSum>>(collective_sums(step));
  struct Task {
    const CollectiveSum* sum;
    const SumStretch* stretch;
    std::byte* target;
  };
  std::vector<Task> tasks;
  for (const CollectiveSum& sum : *sums) {
    Array array = step.run.pool.take(step.at().shape.type, step.at().shape.dims);
    const auto result = std::make_shared<const View>(View::of(array));
    for (const DeviceId owner : sum.owners) step.results()[place(owner)].view = result;
    for (const SumStretch& stretch : sum.stretches)
      tasks.push_back({&sum, &stretch, array.mutable_data() + stored_bytes(array.type(), stretch.first)});
  }
  const auto count = static_cast<int64_t>(tasks.size());
  const int64_t bytes = count * static_cast<int64_t>(sizeof(Task) + sizeof(CollectiveSum));
  step.run.loops.run({count,
                      [sums, tasks = std::move(tasks), memory = std::move(memory), add = kernel.two,
                       type = step.at().shape.type, stop = &step.run.stop](int64_t t) {
                        const Task& task = tasks[static_cast<size_t>(t)];
                        if (!stop->stop_requested())
                          add_up(*task.sum, *task.stretch, {memory, type}, add, task.target, {});
                      }},
                     bytes);
  ViewPtr nothing;
  for (DeviceValue& value : step.results()) {
    if (value.view != nullptr) continue;
    if (nothing == nullptr) nothing = zeros_of(step);
    value.view = nothing;
  }
  return {};
}

}  // namespace

ViewPtr zeros_of(Step& step) {
  const Shape& shape = step.at().shape;
  return std::make_shared<const View>(
      step.run.scalars.view_of(DeviceValue{}, shape.type)->broadcast(shape.dims, {}));
}

Result<void> check_collective(Step& step) {
  const Instruction& i = step.at();
  const bool several = i.opcode == Opcode::all_to_all && i.shape.is_tuple && !i.operands.empty();
  return several ? check_type(step) : check_one_array(step);
}

Result<void> run_all_gather(Step& step) {
  TRY_VOID(check_collective(step));
  const auto dim = static_cast<size_t>(step.at().dimensions.front());
  std::map<std::vector<ViewPtr>, ViewPtr> gathered;  // groups of replicas gather the same
  for (const std::vector<DeviceId>& group : groups_of(step.run, step.at())) {
    const std::vector<ViewPtr> members = views_of(step, group);
    ViewPtr& shared = gathered[members];
    if (shared == nullptr) {
      shared = joined(step, members, [&](const std::vector<ViewPtr>& views) {
        std::vector<const View*> parts;
        parts.reserve(views.size());
        for (const ViewPtr& view : views) parts.push_back(view.get());
        return View::concatenate(parts, dim);
      });
    }
    for (const DeviceId member : group) step.results()[place(member)].view = shared;
  }
  return {};
}

Result<void> run_collective_permute(Step& step) {
  TRY_VOID(check_collective(step));
  ViewPtr nothing;
  for (size_t d = 0; d < step.devices(); ++d) {
    const DeviceId source = step.at().permutation->source_of(DeviceId(static_cast<int64_t>(d)));
    if (source.valid()) {
      step.results()[d] = step.operand(0, place(source));
      continue;
    }
    if (nothing == nullptr) nothing = zeros_of(step);
    step.results()[d].view = nothing;
  }
  return {};
}

Result<void> run_collective_broadcast(Step& step) {
  TRY_VOID(check_collective(step));
  for (const std::vector<DeviceId>& group : groups_of(step.run, step.at()))
    for (const DeviceId member : group)
      step.results()[place(member)].view = step.view(0, place(group.front()));
  ViewPtr nothing;
  for (DeviceValue& value : step.results()) {
    if (value.view != nullptr) continue;
    if (nothing == nullptr) nothing = zeros_of(step);
    value.view = nothing;
  }
  return {};
}

// Array form: member r gets slice r of every member, joined in order along the split dimension. Tuple form:
// element j of member r is operand r of member j.
Result<void> run_all_to_all(Step& step) {
  TRY_VOID(check_collective(step));
  const bool tuple = step.at().shape.is_tuple;
  for (const std::vector<DeviceId>& group : groups_of(step.run, step.at())) {
    for (size_t r = 0; r < group.size(); ++r) {
      DeviceValue& result = step.results()[place(group[r])];
      if (tuple) {
        for (const DeviceId member : group) result.elements.push_back(step.operand(r, place(member)));
        continue;
      }
      const auto dim = static_cast<size_t>(step.at().dimensions.front());
      const auto join = [&](const std::vector<ViewPtr>& views) -> std::optional<View> {
        std::vector<View> slices;
        for (const ViewPtr& view : views) {
          auto slice = part_of(*view, dim, r, group.size());
          if (!slice) return std::nullopt;
          slices.push_back(*std::move(slice));
        }
        return concatenated(slices, dim);
      };
      result.view = joined(step, views_of(step, group), join);
    }
  }
  return {};
}

Result<void> run_all_reduce(Step& step) {
  return run_sum(step);
}

// Member r has slice r of the sum.
Result<void> run_reduce_scatter(Step& step) {
  return run_sum(step);
}

}  // namespace shardscope::inline numerics
