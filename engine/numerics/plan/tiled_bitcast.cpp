// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/plan/tiled_bitcast.h"

#include <algorithm>
#include <utility>

#include "engine/base/units.h"
#include "engine/numerics/plan/library_writing.h"
#include "engine/program/ir/layout.h"

namespace shardscope::inline numerics {
namespace {

using Dims = std::vector<int64_t>;

int64_t count(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

class Writing {
 public:
  Writing(const Instruction& bitcast, const CallWriter& writer)
      : bitcast_(bitcast), writer_(writer), write_(bitcast, writer, bitcast.shape.type) {}

  InstructionId flat(InstructionId id, const Shape& from) {
    const Layout layout = layout_of(from);
    id = transposed(id, layout.order);
    for (const TileCut& cut : tile_cuts(from, layout)) {
      id = write_.sized(reshaped(id, cut.dims), cut.full);
      id = transposed(reshaped(id, cut.split), cut.order);
    }
    return reshaped(id, {count(writer_.shape(id).dims)});
  }

  InstructionId unflat(InstructionId id, const Shape& to) {
    const Layout layout = layout_of(to);
    std::vector<TileCut> cuts = tile_cuts(to, layout);
    const Dims dims = in_memory_order(to, layout);
    id = write_.sized(id, {count(cuts.empty() ? dims : cuts.back().moved)});
    for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut) {
      id = transposed(reshaped(id, cut->moved), inverse(cut->order));
      id = write_.sized(reshaped(id, cut->full), cut->dims);
    }
    return transposed(reshaped(id, dims), inverse(layout.order));
  }

  // The same bytes in a row, as elements of the result's type.
  InstructionId retyped(InstructionId id) {
    const Shape from = writer_.shape(id);
    const ElementType type = bitcast_.shape.type;
    if (from.type == type) return id;
    const int64_t narrow = bits(from.type), wide = bits(type);
    if (narrow < wide) id = write_.sized(id, {round_up(from.dims[0], wide / narrow)});
    const int64_t elements = writer_.shape(id).dims[0] * narrow / wide;
    return write_.add(Opcode::bitcast, Shape::array(type, {elements}), {id});
  }

 private:
  static Dims inverse(const Dims& order) {
    Dims out(order.size());
    for (size_t d = 0; d < order.size(); ++d) out[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
    return out;
  }
  InstructionId reshaped(InstructionId id, const Dims& dims) {
    const Shape& from = writer_.shape(id);
    return from.dims == dims ? id : write_.add(Opcode::reshape, Shape::array(from.type, dims), {id});
  }
  InstructionId transposed(InstructionId id, const Dims& order) {
    if (std::ranges::is_sorted(order)) return id;
    Instruction made;
    made.opcode = Opcode::transpose;
    made.shape = Shape::array(writer_.shape(id).type, {});
    for (const int64_t d : order) made.shape.dims.push_back(writer_.shape(id).dims[static_cast<size_t>(d)]);
    made.operands = {id};
    made.dimensions = order;
    return write_.add(std::move(made));
  }

  const Instruction& bitcast_;
  const CallWriter& writer_;
  CallWriting write_;
};

Dims without_ones(Dims dims) {
  std::erase(dims, 1);
  return dims;
}

}  // namespace

bool is_between_tiles(const Shape& from, const Shape& to) {
  if (from.is_tuple || to.is_tuple) return false;
  const Layout a = layout_of(from), b = layout_of(to);
  if (a.tiles.empty() && b.tiles.empty()) return false;
  return bits(from.type) != bits(to.type) || a.tiles != b.tiles ||
         without_ones(in_memory_order(from, a)) != without_ones(in_memory_order(to, b));
}

InstructionId write_tiled_bitcast(const Instruction& bitcast, const Shape& from, const CallWriter& writer) {
  Writing writing(bitcast, writer);
  return writing.unflat(writing.retyped(writing.flat(bitcast.operands[0], from)), bitcast.shape);
}

}  // namespace shardscope::inline numerics
