// SPDX-License-Identifier: Apache-2.0
// Instructions that place elements by computed indices: pad, reverse, gather, scatter. Bytes are copied, of
// whatever type.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "engine/numerics/array/element.h"
#include "engine/numerics/rules/elementwise.h"
#include "engine/numerics/rules/interpreter.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope {

namespace {

using Dims = std::vector<int64_t>;

Dims row_major_strides(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

// Calls body(index) for every index of an array of `dims`, in row-major order.
template <class F>
void for_each_index(const Dims& dims, F&& body) {
  Dims index(dims.size(), 0);
  if (std::count(dims.begin(), dims.end(), 0) > 0) return;
  for (;;) {
    body(static_cast<const Dims&>(index));
    size_t d = dims.size();
    while (d-- > 0) {
      if (++index[d] < dims[d]) break;
      index[d] = 0;
    }
    if (d == static_cast<size_t>(-1)) return;
  }
}

int64_t dot_of(const Dims& a, const Dims& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), int64_t{0});
}

bool holds(const Dims& dims, size_t d) {
  return std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) != dims.end();
}

// Start indices of gather and scatter: the entries of one index vector.
struct IndexVectors {
  const View& indices;
  int64_t vector_dim;

  // `batch`: the index of an array of indices without its vector dimension.
  int64_t entry(const Dims& batch, int64_t component) const {
    const Dims strides = row_major_strides(indices.dims());
    int64_t flat = 0;
    size_t b = 0;
    for (size_t d = 0; d < indices.rank(); ++d)
      flat += strides[d] * (static_cast<int64_t>(d) == vector_dim ? component : batch[b++]);
    int64_t value = 0;
    element::visit(indices.type(), [&](auto tag) {
      using Tag = decltype(tag);
      typename Tag::Stored stored;
      std::memcpy(&stored, indices.data() + byte_size(indices.type(), flat), sizeof(stored));
      value = static_cast<int64_t>(Tag::load(stored));
    });
    return value;
  }
  // The place of dimension d of the indices among those of `batch`.
  size_t batch_place(int64_t d) const { return static_cast<size_t>(d > vector_dim ? d - 1 : d); }
};

}  // namespace

std::vector<ViewPtr> Interpreter::arrays_of(Frame& frame, InstructionId id, size_t operand) {
  const ElementType type = frame.at(frame.at(id).operands[operand]).shape.type;
  std::vector<ViewPtr> views;
  for (size_t d = 0; d < devices_; ++d) views.push_back(view_of(frame.operand(id, operand, d), type));
  return materialise(views, pool_, workers_, stop_);
}

void Interpreter::set_arrays(Frame& frame, InstructionId id, const std::vector<Array>& arrays) {
  for (size_t d = 0; d < devices_; ++d) frame.of(id)[d].view = std::make_shared<View>(View::of(arrays[d]));
}

Result<void> Interpreter::execute_pad(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  const Dims& from = frame.at(i.operands[0]).shape.dims;
  TRY(const std::vector<PadDim> pad, pad_dims(i, from.size()));
  const auto operand = arrays_of(frame, id, 0), value = arrays_of(frame, id, 1);
  const int64_t size = byte_size(i.shape.type, 1);
  std::vector<Array> results;
  for (size_t d = 0; d < devices_; ++d) results.push_back(pool_.take(i.shape.type, i.shape.dims));
  const Dims strides = row_major_strides(i.shape.dims);
  workers_.parallel_for(static_cast<int64_t>(devices_), [&](int64_t device) {
    const auto d = static_cast<size_t>(device);
    std::byte* out = results[d].mutable_data();
    for (int64_t e = 0; e < i.shape.element_count(); ++e)
      std::memcpy(out + e * size, value[d]->data(), static_cast<size_t>(size));
    int64_t flat = 0;
    for_each_index(from, [&](const Dims& index) {
      const std::byte* source = operand[d]->data() + size * flat++;
      int64_t target = 0;
      for (size_t k = 0; k < index.size(); ++k) {
        const int64_t at = pad[k].low + index[k] * (pad[k].interior + 1);
        if (at < 0 || at >= i.shape.dims[k]) return;
        target += at * strides[k];
      }
      std::memcpy(out + target * size, source, static_cast<size_t>(size));
    });
  });
  set_arrays(frame, id, results);
  return {};
}

Result<void> Interpreter::execute_reverse(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  const auto operand = arrays_of(frame, id, 0);
  const auto size = static_cast<size_t>(byte_size(i.shape.type, 1));
  const Dims strides = row_major_strides(i.shape.dims);
  std::vector<Array> results;
  for (size_t d = 0; d < devices_; ++d) results.push_back(pool_.take(i.shape.type, i.shape.dims));
  workers_.parallel_for(static_cast<int64_t>(devices_), [&](int64_t device) {
    const auto d = static_cast<size_t>(device);
    std::byte* out = results[d].mutable_data();
    for_each_index(i.shape.dims, [&](const Dims& index) {
      int64_t from = 0;
      for (size_t k = 0; k < index.size(); ++k)
        from += strides[k] * (holds(i.dimensions, k) ? i.shape.dims[k] - 1 - index[k] : index[k]);
      std::memcpy(out, operand[d]->data() + static_cast<size_t>(from) * size, size);
      out += size;
    });
  });
  set_arrays(frame, id, results);
  return {};
}

// Starts are clamped to where the slice fits, as HLO does.
Result<void> Interpreter::execute_gather(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  TRY(const GatherDims g, gather_dims(frame.computation, i));
  const Shape& shape = frame.at(i.operands[0]).shape;
  const auto operand = arrays_of(frame, id, 0), indices = arrays_of(frame, id, 1);
  const auto size = static_cast<size_t>(byte_size(i.shape.type, 1));
  const Dims strides = row_major_strides(shape.dims);
  std::vector<int64_t> kept;  // operand dimensions that the result's offset dimensions are
  for (size_t d = 0; d < shape.rank(); ++d)
    if (!holds(g.collapsed_slice_dims, d) && !holds(g.operand_batching_dims, d))
      kept.push_back(static_cast<int64_t>(d));
  std::vector<Array> results;
  for (size_t d = 0; d < devices_; ++d) results.push_back(pool_.take(i.shape.type, i.shape.dims));
  workers_.parallel_for(static_cast<int64_t>(devices_), [&](int64_t device) {
    const auto d = static_cast<size_t>(device);
    const IndexVectors vectors{*indices[d], g.index_vector_dim};
    std::byte* out = results[d].mutable_data();
    for_each_index(i.shape.dims, [&](const Dims& index) {
      Dims batch, place(shape.rank(), 0);
      size_t offset = 0;
      for (size_t k = 0; k < index.size(); ++k) {
        if (holds(g.offset_dims, k))
          place[static_cast<size_t>(kept[offset++])] = index[k];
        else
          batch.push_back(index[k]);
      }
      for (size_t k = 0; k < g.start_index_map.size(); ++k) {
        const auto to = static_cast<size_t>(g.start_index_map[k]);
        place[to] += std::clamp<int64_t>(vectors.entry(batch, static_cast<int64_t>(k)), 0,
                                         shape.dims[to] - g.slice_sizes[to]);
      }
      for (size_t k = 0; k < g.operand_batching_dims.size(); ++k)
        place[static_cast<size_t>(g.operand_batching_dims[k])] =
            batch[vectors.batch_place(g.start_indices_batching_dims[k])];
      std::memcpy(out, operand[d]->data() + static_cast<size_t>(dot_of(place, strides)) * size, size);
      out += size;
    });
  });
  set_arrays(frame, id, results);
  return {};
}

// Updates in row-major order; those that fall outside are left out.
Result<void> Interpreter::execute_scatter(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  TRY(const ScatterDims s, scatter_dims(frame.computation, i));
  const Computation* combiner = called_computation(i, "to_apply");
  if (combiner == nullptr) return invalid("scatter without to_apply", "%" + i.name);
  const Instruction& root = combiner->root_instruction();
  const bool assigns = root.opcode == Opcode::parameter && root.parameter_number == 1;
  Opcode reducer = Opcode::unknown;
  if (!assigns) {
    TRY(reducer, reducer_of(i));
    if (!has_elementwise(reducer, i.shape.type))
      return invalid("cannot scatter by " + std::string(opcode_text(reducer)), "%" + i.name);
  }
  const auto operand = arrays_of(frame, id, 0), indices = arrays_of(frame, id, 1),
             updates = arrays_of(frame, id, 2);
  const auto size = static_cast<size_t>(byte_size(i.shape.type, 1));
  const Dims strides = row_major_strides(i.shape.dims);
  std::vector<int64_t> kept;
  for (size_t d = 0; d < i.shape.rank(); ++d)
    if (!holds(s.inserted_window_dims, d) && !holds(s.input_batching_dims, d))
      kept.push_back(static_cast<int64_t>(d));
  std::vector<Array> results;
  for (size_t d = 0; d < devices_; ++d) {
    results.push_back(pool_.take(i.shape.type, i.shape.dims));
    copy_to(*operand[d], results[d].mutable_data());
  }
  workers_.parallel_for(static_cast<int64_t>(devices_), [&](int64_t device) {
    const auto d = static_cast<size_t>(device);
    const IndexVectors vectors{*indices[d], s.index_vector_dim};
    const std::byte* update = updates[d]->data();
    for_each_index(updates[d]->dims(), [&](const Dims& index) {
      const std::byte* source = update;
      update += size;
      Dims batch, place(i.shape.rank(), 0);
      size_t window = 0;
      for (size_t k = 0; k < index.size(); ++k) {
        if (holds(s.update_window_dims, k))
          place[static_cast<size_t>(kept[window++])] = index[k];
        else
          batch.push_back(index[k]);
      }
      for (size_t k = 0; k < s.to_operand_dims.size(); ++k)
        place[static_cast<size_t>(s.to_operand_dims[k])] += vectors.entry(batch, static_cast<int64_t>(k));
      for (size_t k = 0; k < s.input_batching_dims.size(); ++k)
        place[static_cast<size_t>(s.input_batching_dims[k])] =
            batch[vectors.batch_place(s.indices_batching_dims[k])];
      for (size_t k = 0; k < place.size(); ++k)
        if (place[k] < 0 || place[k] >= i.shape.dims[k]) return;
      std::byte* out = results[d].mutable_data() + static_cast<size_t>(dot_of(place, strides)) * size;
      if (assigns)
        std::memcpy(out, source, size);
      else
        apply_elementwise(reducer, i.shape.type, out, source, out, 1);
    });
  });
  set_arrays(frame, id, results);
  return {};
}

Result<void> Interpreter::execute_bitcast_convert(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  const auto operand = arrays_of(frame, id, 0);
  if (byte_size(operand[0]->type(), operand[0]->element_count()) != i.shape.bytes())
    return invalid("cannot read the bits as " + i.shape.text(), "%" + i.name);
  for (size_t d = 0; d < devices_; ++d) {
    const View::Piece& piece = operand[d]->pieces().front();
    frame.of(id)[d].view =
        std::make_shared<View>(View::row_major(i.shape.type, i.shape.dims, piece.buffer, operand[d]->data()));
  }
  return {};
}

}  // namespace shardscope
