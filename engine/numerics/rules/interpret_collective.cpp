// SPDX-License-Identifier: Apache-2.0
// What devices give each other. Gathers, permutes and all-to-alls are views of the senders' arrays; sums run
// in the order of the group, 0 … n−1, in the element type of the instruction.
#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/units.h"
#include "engine/numerics/array/element.h"
#include "engine/numerics/rules/elementwise.h"
#include "engine/numerics/rules/interpreter.h"

namespace shardscope {

ViewPtr Interpreter::zeros_of(const Shape& shape) {
  return std::make_shared<const View>(view_of(DeviceValue{}, shape.type)->broadcast(shape.dims, {}));
}

Result<void> Interpreter::execute_collective(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  const bool tuple_all_to_all = i.opcode == Opcode::all_to_all && i.shape.is_tuple;
  if (i.operands.empty() || (i.operands.size() != 1 && !tuple_all_to_all) ||
      (i.shape.is_tuple && !tuple_all_to_all)) {
    return invalid("cannot run " + std::string(opcode_text(i.opcode)) + " of several arrays", "%" + i.name);
  }
  const ElementType type = frame.at(i.operands[0]).shape.type;
  DeviceValues& results = frame.of(id);
  ViewPtr nothing;
  if (!element::has_arrays(type)) {
    return invalid(std::string("cannot run collectives of ") + name(type), "%" + i.name);
  }
  if (i.opcode == Opcode::collective_permute) {
    for (size_t d = 0; d < devices_; ++d) {
      const DeviceId source = i.permutation->source_of(DeviceId(static_cast<int64_t>(d)));
      if (source.valid()) {
        results[d] = frame.operand(id, 0, static_cast<size_t>(source.value));
      } else {
        if (nothing == nullptr) nothing = zeros_of(i.shape);
        results[d].view = nothing;
      }
    }
    return {};
  }
  const auto& groups = groups_of(i);
  switch (i.opcode) {
    case Opcode::all_gather:
      for (const std::vector<DeviceId>& group : groups) {
        std::vector<ViewPtr> views;
        for (DeviceId member : group)
          views.push_back(view_of(frame.operand(id, 0, static_cast<size_t>(member.value)), type));
        const auto join = [&] {
          std::vector<const View*> parts;
          for (const ViewPtr& view : views) parts.push_back(view.get());
          return View::concatenate(parts, static_cast<size_t>(i.dimensions.front()));
        };
        std::optional<View> joined = join();
        if (!joined) {
          views = materialise(views, pool_, workers_, stop_);
          joined = join();
        }
        CHECK(joined.has_value(), i.name);
        const auto shared = std::make_shared<const View>(*std::move(joined));
        for (DeviceId member : group) results[static_cast<size_t>(member.value)].view = shared;
      }
      return {};
    case Opcode::collective_broadcast:
      for (const std::vector<DeviceId>& group : groups) {
        for (DeviceId member : group) {
          results[static_cast<size_t>(member.value)] =
              frame.operand(id, 0, static_cast<size_t>(group.front().value));
        }
      }
      for (DeviceValue& value : results) {
        if (value.view != nullptr) continue;
        if (nothing == nullptr) nothing = zeros_of(i.shape);
        value.view = nothing;
      }
      return {};
    case Opcode::all_to_all:
      all_to_all(frame, id, groups);
      return {};
    default:
      return combine(frame, id);
  }
}

// Array form: member r gets slice r of every member, joined in order along the split dimension. Tuple form:
// element j of member r is operand r of member j.
void Interpreter::all_to_all(Frame& frame, InstructionId id,
                             const std::vector<std::vector<DeviceId>>& groups) {
  const Instruction& i = frame.at(id);
  for (const std::vector<DeviceId>& group : groups) {
    for (size_t r = 0; r < group.size(); ++r) {
      DeviceValue& result = frame.of(id)[static_cast<size_t>(group[r].value)];
      if (i.shape.is_tuple) {
        for (DeviceId member : group) {
          result.elements.push_back(frame.operand(id, r, static_cast<size_t>(member.value)));
        }
        continue;
      }
      const size_t dim = static_cast<size_t>(i.dimensions.front());
      const auto join = [&](bool copy) -> std::optional<View> {
        std::vector<ViewPtr> slices;
        for (DeviceId member : group) {
          ViewPtr view = view_of(frame.operand(id, 0, static_cast<size_t>(member.value)), i.shape.type);
          if (copy) view = materialise(std::span(&view, 1), pool_, workers_, stop_).front();
          const int64_t size = view->dims()[dim] / static_cast<int64_t>(group.size());
          auto slice = view->slice(dim, static_cast<int64_t>(r) * size, static_cast<int64_t>(r + 1) * size);
          if (!slice) return std::nullopt;
          slices.push_back(std::make_shared<View>(*std::move(slice)));
        }
        std::vector<const View*> parts;
        for (const ViewPtr& slice : slices) parts.push_back(slice.get());
        return View::concatenate(parts, dim);
      };
      std::optional<View> joined = join(false);
      if (!joined) joined = join(true);
      CHECK(joined.has_value(), i.name);
      result.view = std::make_shared<View>(*std::move(joined));
    }
  }
}

// all-reduce: every member of a group shares one sum; when rooted, only the first has it and the others
// zeros. reduce-scatter: member r has slice r of it.
Result<void> Interpreter::combine(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  TRY(const Opcode reducer, reducer_of(i));
  const ElementType type = i.shape.type;
  if (!has_elementwise(reducer, type)) {
    return invalid("cannot reduce " + std::string(name(type)) + " by " + std::string(opcode_text(reducer)),
                   "%" + i.name);
  }
  struct Task {
    std::vector<View> parts;  // the same region of every member
    std::byte* target;
  };
  std::vector<Task> tasks;
  const ViewPtr nothing = i.rooted ? zeros_of(i.shape) : nullptr;
  constexpr int64_t kTaskBytes = int64_t{1} << 19;
  for (const std::vector<DeviceId>& group : groups_of(i)) {
    std::vector<ViewPtr> views;
    for (DeviceId member : group)
      views.push_back(view_of(frame.operand(id, 0, static_cast<size_t>(member.value)), type));
    // Sums read members in the same order of elements: views that are not plain are copied first.
    views = materialise(views, pool_, workers_, stop_);
    const bool scatter = i.opcode == Opcode::reduce_scatter;
    for (size_t r = 0; r < (scatter ? group.size() : 1); ++r) {
      Array array = pool_.take(type, i.shape.dims);
      const auto result = std::make_shared<const View>(View::of(array));
      std::vector<std::vector<ViewPart>> members;
      for (const ViewPtr& view : views) {
        View part = *view;
        if (scatter) {
          const size_t dim = static_cast<size_t>(i.dimensions.front());
          const int64_t size = i.shape.dims[dim];
          part = *view->slice(dim, static_cast<int64_t>(r) * size, static_cast<int64_t>(r + 1) * size);
        }
        members.push_back(cut(part, ceil_div(byte_size(type, part.element_count()), kTaskBytes)));
      }
      for (size_t p = 0; p < members.front().size(); ++p) {
        Task task{{}, array.mutable_data() + byte_size(type, members.front()[p].at)};
        for (const auto& member : members) task.parts.push_back(member[p].view);
        tasks.push_back(std::move(task));
      }
      if (scatter) {
        frame.of(id)[static_cast<size_t>(group[r].value)].view = result;
      } else {
        for (DeviceId member : group) {
          const bool has_sum = !i.rooted || member == group.front();
          frame.of(id)[static_cast<size_t>(member.value)].view = has_sum ? result : nothing;
        }
      }
    }
  }
  workers_.parallel_for(static_cast<int64_t>(tasks.size()), [&](int64_t t) {
    const Task& task = tasks[static_cast<size_t>(t)];
    if (stop_.stop_requested()) return;
    copy_to(task.parts.front(), task.target);
    for (size_t p = 1; p < task.parts.size(); ++p) {
      for_each_run(task.parts[p], [&](const ElementRun& run) {
        std::byte* out = task.target + byte_size(type, run.at);
        if (run.stride == 1) {
          apply_elementwise(reducer, type, out, run.data, out, run.count);
          return;
        }
        for (int64_t e = 0; e < run.count; ++e, out += byte_size(type, 1))
          apply_elementwise(reducer, type, out, run.data + byte_size(type, e * run.stride), out, 1);
      });
    }
  });
  return {};
}

}  // namespace shardscope
