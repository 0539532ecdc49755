// SPDX-License-Identifier: Apache-2.0
// Instructions that only move data: their results are views.
#include <algorithm>

#include "engine/base/check.h"
#include "engine/numerics/rules/interpreter.h"

namespace shardscope {

void Interpreter::rearrange(Frame& frame, InstructionId id, size_t operands,
                            const std::vector<std::vector<int64_t>>& indices, const Rearrange& make) {
  using Key = std::pair<std::vector<const View*>, std::vector<int64_t>>;
  static const std::vector<int64_t> kNone;
  const Instruction& i = frame.at(id);
  std::map<Key, ViewPtr> made;
  std::vector<ViewPtr> inputs;  // kept for as long as `made` knows them by address
  for (size_t d = 0; d < devices_; ++d) {
    Key key;
    std::vector<ViewPtr> own;
    for (size_t o = 0; o < operands; ++o) {
      own.push_back(view_of(frame.operand(id, o, d), frame.at(i.operands[o]).shape.type));
      key.first.push_back(own.back().get());
    }
    const std::vector<int64_t>& index = indices.empty() ? kNone : indices[d];
    key.second = index;
    ViewPtr& result = made[key];
    if (result == nullptr) {
      std::optional<View> view;
      if (i.shape.element_count() == 0) view = View::of(pool_.take(i.shape.type, i.shape.dims));
      if (!view) view = make(key.first, index);
      if (!view) {
        own = materialise(own, pool_, workers_, stop_);
        std::vector<const View*> copies;
        for (const ViewPtr& copy : own) copies.push_back(copy.get());
        view = make(copies, index);
        CHECK(view.has_value(), i.name);
      }
      result = std::make_shared<View>(*std::move(view));
    }
    frame.of(id)[d].view = result;
    inputs.insert(inputs.end(), own.begin(), own.end());
  }
}

Result<void> Interpreter::execute_shape(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  const std::vector<int64_t>& dims = i.shape.dims;
  using Views = std::span<const View* const>;
  using Indices = std::vector<int64_t>;
  switch (i.opcode) {
    case Opcode::reshape:
    case Opcode::bitcast:
      rearrange(frame, id, 1, {}, [&](Views in, const Indices&) { return in[0]->reshape(dims); });
      return {};
    case Opcode::transpose:
      rearrange(frame, id, 1, {},
                [&](Views in, const Indices&) { return std::optional(in[0]->transpose(i.dimensions)); });
      return {};
    case Opcode::broadcast:
      rearrange(frame, id, 1, {}, [&](Views in, const Indices&) {
        return std::optional(in[0]->broadcast(dims, i.dimensions));
      });
      return {};
    case Opcode::concatenate:
      rearrange(frame, id, i.operands.size(), {}, [&](Views in, const Indices&) {
        return View::concatenate(in, static_cast<size_t>(i.dimensions.front()));
      });
      return {};
    case Opcode::slice:
      rearrange(frame, id, 1, {}, [&](Views in, const Indices&) {
        std::optional<View> view = *in[0];
        for (size_t d = 0; d < i.slice.size() && view; ++d) {
          const SliceDim& s = i.slice[d];
          if (s.start != 0 || s.limit != view->dims()[d] || s.stride != 1) {
            view = view->slice(d, s.start, s.limit, s.stride);
          }
        }
        return view;
      });
      return {};
    case Opcode::dynamic_slice:
      return dynamic_slice(frame, id);
    default:
      return dynamic_update_slice(frame, id);
  }
}

// The start indices from operand `first_index` on, clamped to where the slice fits, as HLO does.
Result<std::vector<int64_t>> Interpreter::slice_start(Frame& frame, InstructionId id, size_t first_index,
                                                      size_t device, const std::vector<int64_t>& sizes,
                                                      const std::vector<int64_t>& extents) {
  std::vector<int64_t> start(sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t asked = scalar_of(frame.operand(id, first_index + d, device));
    start[d] = std::clamp<int64_t>(asked, 0, extents[d] - sizes[d]);
    if (trap_slices_ && start[d] != asked) {
      return invalid("slice out of range in dimension " + std::to_string(d) + ": start " +
                         std::to_string(asked) + " with size " + std::to_string(sizes[d]) + " of " +
                         std::to_string(extents[d]),
                     "%" + frame.at(id).name + " on device " + std::to_string(device),
                     "HLO would clamp the start to " + std::to_string(start[d]));
    }
  }
  return start;
}

Result<void> Interpreter::dynamic_slice(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  const std::vector<int64_t>& extents = frame.at(i.operands[0]).shape.dims;
  std::vector<std::vector<int64_t>> starts;
  for (size_t d = 0; d < devices_; ++d) {
    TRY(auto start, slice_start(frame, id, 1, d, i.shape.dims, extents));
    starts.push_back(std::move(start));
  }
  rearrange(frame, id, 1, starts, [&](std::span<const View* const> in, const std::vector<int64_t>& start) {
    std::optional<View> view = *in[0];
    for (size_t d = 0; d < start.size() && view; ++d) {
      if (i.shape.dims[d] != extents[d]) view = view->slice(d, start[d], start[d] + i.shape.dims[d]);
    }
    return view;
  });
  return {};
}

Result<void> Interpreter::dynamic_update_slice(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  const std::vector<int64_t>& sizes = frame.at(i.operands[1]).shape.dims;
  std::vector<std::vector<int64_t>> starts;
  for (size_t d = 0; d < devices_; ++d) {
    TRY(auto start, slice_start(frame, id, 2, d, sizes, i.shape.dims));
    starts.push_back(std::move(start));
  }
  rearrange(frame, id, 2, starts, [](std::span<const View* const> in, const std::vector<int64_t>& start) {
    return in[0]->update(*in[1], start);
  });
  return {};
}

}  // namespace shardscope
