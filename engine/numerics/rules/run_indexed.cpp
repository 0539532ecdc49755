// SPDX-License-Identifier: Apache-2.0
// Instructions that place elements by computed indices. Bytes are copied, of whatever type.
#include <cstring>

#include "engine/numerics/array/element.h"
#include "engine/numerics/functions/elementwise.h"
#include "engine/numerics/rules/index_space.h"
#include "engine/numerics/rules/rules.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope {
namespace {

using Dims = std::vector<int64_t>;

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
      std::memcpy(&stored, indices.data() + stored_bytes(indices.type(), flat), sizeof(stored));
      value = static_cast<int64_t>(element::real_part(Tag::load(stored)));
    });
    return value;
  }
  // The place of dimension d of the indices among those of `batch`.
  size_t batch_place(int64_t d) const { return static_cast<size_t>(d > vector_dim ? d - 1 : d); }
};

// How the dimensions of what is gathered (or of updates) lie in the array: window dimensions are its own,
// those that are left in order; the others number the index vectors.
struct Windows {
  const Dims& window_dims;  // of the gathered array
  const Dims& left_out;     // of the array: one place each
  const Dims& start_map;    // index component -> dimension of the array
  const Dims& batching;     // of the array
  const Dims& indices_batching;
  size_t rank;  // of the array

  Dims kept() const {
    Dims out;
    for (size_t d = 0; d < rank; ++d)
      if (!holds(left_out, d) && !holds(batching, d)) out.push_back(static_cast<int64_t>(d));
    return out;
  }
  // Where `index` of the gathered array lies in the array; `clamped(dim, start)` says where a window may
  // begin.
  template <class F>
  Dims place(const Dims& index, const Dims& kept_dims, const IndexVectors& vectors, F&& clamped) const {
    Dims batch, place(rank, 0);
    size_t offset = 0;
    for (size_t k = 0; k < index.size(); ++k) {
      if (holds(window_dims, k))
        place[static_cast<size_t>(kept_dims[offset++])] = index[k];
      else
        batch.push_back(index[k]);
    }
    for (size_t k = 0; k < start_map.size(); ++k) {
      const auto to = static_cast<size_t>(start_map[k]);
      place[to] += clamped(to, vectors.entry(batch, static_cast<int64_t>(k)));
    }
    for (size_t k = 0; k < batching.size(); ++k)
      place[static_cast<size_t>(batching[k])] = batch[vectors.batch_place(indices_batching[k])];
    return place;
  }
};

// What a scatter does with an update; without a kernel of two operands it assigns it.
Result<ElementwiseKernel> combiner_of(Step& step) {
  const Instruction& i = step.at();
  const Computation* combiner = called_computation(step.run.program, i, "to_apply");
  if (combiner == nullptr) return invalid("scatter without to_apply", "%" + i.name);
  const Instruction& root = combiner->root_instruction();
  if (root.opcode == Opcode::parameter && root.parameter_number == 1) return ElementwiseKernel{};
  TRY(const Opcode reducer, reducer_of(step.run.program, i));
  const ElementwiseKernel kernel = elementwise_kernel(reducer, i.shape.type);
  if (kernel.two == nullptr)
    return invalid("cannot scatter by " + std::string(opcode_text(reducer)), "%" + i.name);
  return kernel;
}

}  // namespace

// Starts are clamped to where the slice fits, as HLO does.
Result<void> run_gather(Step& step) {
  const Instruction& i = step.at();
  TRY(const GatherDims g, gather_dims(step.frame.computation, i));
  const Shape& shape = step.operand_shape(0);
  const auto operand = step.arrays(0), indices = step.arrays(1);
  const auto size = static_cast<size_t>(stored_bytes(i.shape.type, 1));
  const Dims strides = row_major_strides(shape.dims);
  const Windows windows{g.offset_dims,           g.collapsed_slice_dims,        g.start_index_map,
                        g.operand_batching_dims, g.start_indices_batching_dims, shape.rank()};
  const Dims kept = windows.kept();
  std::vector<Array> results = step.new_arrays();
  step.run.workers.parallel_for(static_cast<int64_t>(step.devices()), [&](int64_t device) {
    const auto d = static_cast<size_t>(device);
    const IndexVectors vectors{*indices[d], g.index_vector_dim};
    std::byte* out = results[d].mutable_data();
    for_each_index(i.shape.dims, step.run.stop, [&](const Dims& index) {
      const Dims place = windows.place(index, kept, vectors, [&](size_t dim, int64_t start) {
        return std::clamp<int64_t>(start, 0, shape.dims[dim] - g.slice_sizes[dim]);
      });
      std::memcpy(out, operand[d]->data() + static_cast<size_t>(flat_place(place, strides)) * size, size);
      out += size;
    });
  });
  step.give(results);
  return {};
}

// Updates in row-major order; those that fall outside are left out.
Result<void> run_scatter(Step& step) {
  const Instruction& i = step.at();
  TRY(const ScatterDims s, scatter_dims(step.frame.computation, i));
  TRY(const ElementwiseKernel combiner, combiner_of(step));
  const auto operand = step.arrays(0), indices = step.arrays(1), updates = step.arrays(2);
  const auto size = static_cast<size_t>(stored_bytes(i.shape.type, 1));
  const Dims strides = row_major_strides(i.shape.dims);
  const Windows windows{s.update_window_dims,  s.inserted_window_dims,  s.to_operand_dims,
                        s.input_batching_dims, s.indices_batching_dims, i.shape.rank()};
  const Dims kept = windows.kept();
  std::vector<Array> results = step.new_arrays();
  for (size_t d = 0; d < step.devices(); ++d) copy_to(*operand[d], results[d].mutable_data());
  step.run.workers.parallel_for(static_cast<int64_t>(step.devices()), [&](int64_t device) {
    const auto d = static_cast<size_t>(device);
    const IndexVectors vectors{*indices[d], s.index_vector_dim};
    const std::byte* update = updates[d]->data();
    for_each_index(updates[d]->dims(), step.run.stop, [&](const Dims& index) {
      const std::byte* source = update;
      update += size;
      const Dims place = windows.place(index, kept, vectors, [](size_t, int64_t start) { return start; });
      for (size_t k = 0; k < place.size(); ++k)
        if (place[k] < 0 || place[k] >= i.shape.dims[k]) return;
      std::byte* out = results[d].mutable_data() + static_cast<size_t>(flat_place(place, strides)) * size;
      if (combiner.two == nullptr)
        std::memcpy(out, source, size);
      else
        combiner.two(out, source, out, 1);
    });
  });
  step.give(results);
  return {};
}

}  // namespace shardscope
