// SPDX-License-Identifier: Apache-2.0
// Instructions that only move data. Results are views where they can be; pad and reverse copy bytes, of
// whatever type.
#include <algorithm>
#include <cstring>

#include "engine/base/check.h"
#include "engine/numerics/array/element.h"
#include "engine/numerics/rules/index_space.h"
#include "engine/numerics/rules/rules.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline numerics {
namespace {

using Views = std::span<const View* const>;
using Index = std::vector<int64_t>;  // of one device
using Rearrange = std::function<std::optional<View>(Views, const Index&)>;

// One device's result; the operands are copied first where their factors do not allow the view.
View rearranged(Step& step, std::vector<ViewPtr>& operands, const Index& index, const Rearrange& make) {
  const Shape& shape = step.at().shape;
  if (shape.element_count() == 0) return View::of(step.run.pool.take(shape.type, shape.dims));
  std::vector<const View*> in;
  in.reserve(operands.size());
  for (const ViewPtr& view : operands) in.push_back(view.get());
  if (auto view = make(in, index)) return *std::move(view);
  operands = step.plain(operands);
  for (size_t o = 0; o < in.size(); ++o) in[o] = operands[o].get();
  auto view = make(in, index);
  CHECK(view.has_value(), step.at().name);
  return *std::move(view);
}

// Result views from those of the first `operands` operands. Devices with the same operands and indices share
// the result.
void rearrange(Step& step, size_t operands, const std::vector<Index>& indices, const Rearrange& make) {
  using Key = std::pair<std::vector<const View*>, Index>;
  std::map<Key, ViewPtr> made;
  std::vector<ViewPtr> inputs;  // kept for as long as `made` knows them by address
  for (size_t d = 0; d < step.devices(); ++d) {
    Key key;
    std::vector<ViewPtr> own;
    for (size_t o = 0; o < operands; ++o) {
      own.push_back(step.view(o, d));
      key.first.push_back(own.back().get());
    }
    inputs.insert(inputs.end(), own.begin(), own.end());
    if (!indices.empty()) key.second = indices[d];
    ViewPtr& result = made[key];
    if (result == nullptr) {
      result = std::make_shared<View>(rearranged(step, own, key.second, make));
      inputs.insert(inputs.end(), own.begin(), own.end());
    }
    step.results()[d].view = result;
  }
}

void rearrange_one(Step& step, const std::function<std::optional<View>(const View&)>& make) {
  rearrange(step, 1, {}, [&](Views in, const Index&) { return make(*in[0]); });
}

// The start indices from operand `first` on, clamped to where a slice of `sizes` fits, as HLO does.
Result<Index> slice_start(Step& step, size_t first, size_t device, const std::vector<int64_t>& sizes) {
  const std::vector<int64_t>& extents = step.operand_shape(0).dims;
  Index start(sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t written = scalar_of(step.operand(first + d, device));
    start[d] = std::clamp<int64_t>(written, 0, extents[d] - sizes[d]);
    if (step.run.trap_slices && start[d] != written) {
      return invalid("slice out of range in dimension " + std::to_string(d) + ": start " +
                         std::to_string(written) + " with size " + std::to_string(sizes[d]) + " of " +
                         std::to_string(extents[d]),
                     "%" + step.at().name + " on device " + std::to_string(step.run.device(device).value),
                     "HLO would clamp the start to " + std::to_string(start[d]));
    }
  }
  return start;
}

Result<std::vector<Index>> slice_starts(Step& step, size_t first, const std::vector<int64_t>& sizes) {
  std::vector<Index> starts;
  for (size_t d = 0; d < step.devices(); ++d) {
    TRY(starts.emplace_back(), slice_start(step, first, d, sizes));
  }
  return starts;
}

}  // namespace

Result<void> run_reshape(Step& step) {
  rearrange_one(step, [&](const View& in) { return in.reshape(step.at().shape.dims); });
  return {};
}

Result<void> run_transpose(Step& step) {
  rearrange_one(step, [&](const View& in) { return std::optional(in.transpose(step.at().dimensions)); });
  return {};
}

Result<void> run_broadcast(Step& step) {
  const Instruction& i = step.at();
  rearrange_one(step,
                [&](const View& in) { return std::optional(in.broadcast(i.shape.dims, i.dimensions)); });
  return {};
}

Result<void> run_concatenate(Step& step) {
  const Instruction& i = step.at();
  rearrange(step, i.operands.size(), {}, [&](Views in, const Index&) {
    return View::concatenate(in, static_cast<size_t>(i.dimensions.front()));
  });
  return {};
}

Result<void> run_slice(Step& step) {
  const std::vector<SliceDim>& slice = step.at().slice;
  rearrange_one(step, [&](const View& in) {
    std::optional<View> view = in;
    for (size_t d = 0; d < slice.size() && view; ++d) {
      const SliceDim& s = slice[d];
      if (s.start != 0 || s.limit != view->dims()[d] || s.stride != 1)
        view = view->slice(d, s.start, s.limit, s.stride);
    }
    return view;
  });
  return {};
}

Result<void> run_dynamic_slice(Step& step) {
  const std::vector<int64_t>&sizes = step.at().shape.dims, &extents = step.operand_shape(0).dims;
  TRY(const std::vector<Index> starts, slice_starts(step, 1, sizes));
  rearrange(step, 1, starts, [&](Views in, const Index& start) {
    std::optional<View> view = *in[0];
    for (size_t d = 0; d < start.size() && view; ++d)
      if (sizes[d] != extents[d]) view = view->slice(d, start[d], start[d] + sizes[d]);
    return view;
  });
  return {};
}

Result<void> run_dynamic_update_slice(Step& step) {
  TRY(const std::vector<Index> starts, slice_starts(step, 2, step.operand_shape(1).dims));
  rearrange(step, 2, starts, [](Views in, const Index& start) { return in[0]->update(*in[1], start); });
  return {};
}

namespace {

// Elements of less than a byte side by side, the first in the lowest bits, and back.
std::vector<std::byte> packed(const std::byte* elements, int width, int64_t count) {
  std::vector<std::byte> out(static_cast<size_t>((count * width + 7) / 8));
  for (int64_t e = 0; e < count; ++e) {
    const auto code = static_cast<unsigned>(elements[e]) & ((1U << width) - 1);
    out[static_cast<size_t>(e * width / 8)] |= static_cast<std::byte>(code << (e * width % 8));
  }
  return out;
}
void unpack(const std::byte* bytes, ElementType type, std::byte* elements, int64_t count) {
  const auto width = static_cast<int>(bits(type));
  const bool repeats = is_integer(type) && is_signed(type);
  for (int64_t e = 0; e < count; ++e) {
    const auto code = (static_cast<unsigned>(bytes[e * width / 8]) >> (e * width % 8)) & ((1U << width) - 1);
    const unsigned above = repeats && (code >> (width - 1)) != 0 ? ~0U << width : 0;
    elements[e] = static_cast<std::byte>(code | above);
  }
}

}  // namespace

Result<void> run_bitcast_convert(Step& step) {
  const Shape& shape = step.at().shape;
  const ElementType from = step.operand_shape(0).type;
  const auto operand = step.arrays(0);
  if (!element::has_arrays(shape.type) || !element::has_arrays(from) ||
      step.operand_shape(0).bytes() != shape.bytes())
    return invalid("cannot read the bits as " + shape.text(), "%" + step.at().name);
  for (size_t d = 0; d < step.devices(); ++d) {
    const View& view = *operand[d];
    if (bits(from) >= 8 && bits(shape.type) >= 8) {
      step.results()[d].view = std::make_shared<View>(
          View::row_major(shape.type, shape.dims, view.pieces().front().buffer, view.data()));
      continue;
    }
    Array array = step.run.pool.take(shape.type, shape.dims);
    const auto size = static_cast<size_t>(shape.bytes());
    const std::vector<std::byte> memory =
        bits(from) < 8 ? packed(view.data(), static_cast<int>(bits(from)), view.element_count())
                       : std::vector<std::byte>(view.data(), view.data() + size);
    if (bits(shape.type) < 8)
      unpack(memory.data(), shape.type, array.mutable_data(), shape.element_count());
    else
      std::copy(memory.begin(), memory.end(), array.mutable_data());
    step.results()[d].view = std::make_shared<View>(View::of(array));
  }
  return {};
}

Result<void> run_bitcast(Step& step) {
  if (step.operand_shape(0).bytes() != step.at().shape.bytes()) return cannot_compute(step.at());
  return step.operand_shape(0).type == step.at().shape.type ? run_reshape(step) : run_bitcast_convert(step);
}

Result<void> run_pad(Step& step) {
  const Shape& shape = step.at().shape;
  const std::vector<int64_t>& from = step.operand_shape(0).dims;
  TRY(const std::vector<PadDim> pad, pad_dims(step.at(), from.size()));
  const auto operand = step.arrays(0), value = step.arrays(1);
  const int64_t size = stored_bytes(shape.type, 1);
  std::vector<Array> results = step.new_arrays();
  const std::vector<int64_t> strides = row_major_strides(shape.dims);
  step.run.workers.parallel_for(static_cast<int64_t>(step.devices()), [&](int64_t device) {
    const auto d = static_cast<size_t>(device);
    std::byte* out = results[d].mutable_data();
    for (int64_t e = 0; e < shape.element_count(); ++e)
      std::memcpy(out + e * size, value[d]->data(), static_cast<size_t>(size));
    const std::byte* source = operand[d]->data();
    for_each_index(from, step.run.stop, [&](const std::vector<int64_t>& index) {
      const std::byte* element = source;
      source += size;
      int64_t target = 0;
      for (size_t k = 0; k < index.size(); ++k) {
        const int64_t at = pad[k].low + index[k] * (pad[k].interior + 1);
        if (at < 0 || at >= shape.dims[k]) return;
        target += at * strides[k];
      }
      std::memcpy(out + target * size, element, static_cast<size_t>(size));
    });
  });
  step.give(results);
  return {};
}

Result<void> run_reverse(Step& step) {
  const Instruction& i = step.at();
  const auto operand = step.arrays(0);
  const auto size = static_cast<size_t>(stored_bytes(i.shape.type, 1));
  const std::vector<int64_t> strides = row_major_strides(i.shape.dims);
  std::vector<Array> results = step.new_arrays();
  step.run.workers.parallel_for(static_cast<int64_t>(step.devices()), [&](int64_t device) {
    const auto d = static_cast<size_t>(device);
    std::byte* out = results[d].mutable_data();
    for_each_index(i.shape.dims, step.run.stop, [&](const std::vector<int64_t>& index) {
      int64_t from = 0;
      for (size_t k = 0; k < index.size(); ++k)
        from += strides[k] * (holds(i.dimensions, k) ? i.shape.dims[k] - 1 - index[k] : index[k]);
      std::memcpy(out, operand[d]->data() + static_cast<size_t>(from) * size, size);
      out += size;
    });
  });
  step.give(results);
  return {};
}

}  // namespace shardscope::inline numerics
