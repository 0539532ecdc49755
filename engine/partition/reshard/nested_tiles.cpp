// SPDX-License-Identifier: Apache-2.0
// Tiles that become parts of coarser ones, and the other way round. Where an array's size keeps the one from
// ending where the other does, rows move on first.
#include <algorithm>
#include <numeric>

#include "engine/base/units.h"
#include "engine/partition/reshard/resharder.h"
#include "engine/partition/reshard/row_exchange.h"
#include "engine/sharding/moves.h"

namespace shardscope::inline partitioner {
namespace {

// Tables that XLA's partitioner of 2022 makes on its way to a partly replicated tiling and never reads; its
// memory log lists them.
void write_unused_ordinals(SpmdWriter& writer, const SpmdScope& scope, const Tiling& target) {
  const TilePlaces place = target.coordinates();
  for (size_t d = 0; d < target.rank(); ++d) {
    if (target.counts[d] == 1)
      writer.zero(ElementType::s32);
    else
      writer.table(scope, ElementType::s32, place.along(d));
  }
  std::vector<int64_t> numbers(place.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  writer.table(scope, ElementType::u32, numbers);
}

// `size` rows on every device, from starts[place] on.
Sharded moved_rows(SpmdWriter& writer, const SpmdScope& scope, const Sharded& value, size_t dim,
                   std::vector<int64_t> starts, int64_t size) {
  RowExchange x;
  x.dim = dim;
  x.rows = value.base.dims[dim];
  x.tile = writer.shape(value.id).dims[dim];
  for (int64_t place = 0; place < value.tiling.counts[dim]; ++place) {
    x.places.push_back(place);
    x.limits.push_back(starts[static_cast<size_t>(place)] + size);
  }
  x.starts = std::move(starts);
  Sharded out = value;
  out.id = compact_rows(writer, scope, value, x);
  return out;
}

// Tiles of `size` rows, which finer ones make up.
Sharded widened(SpmdWriter& writer, const SpmdScope& scope, const Sharded& value, size_t dim, int64_t size) {
  const int64_t rows = writer.shape(value.id).dims[dim], count = value.tiling.counts[dim];
  if (rows >= size) return value;
  Sharded out = value;
  if (count == 1) {
    out.id = writer.pad_high(value.id, dim, size, writer.zero(value.base.type));
    return out;
  }
  std::vector<int64_t> starts;
  for (int64_t place = 0; place < count; ++place) starts.push_back(place * size);
  return moved_rows(writer, scope, value, dim, std::move(starts), size);
}

// Rows of a tile that is `ratio` times coarser.
int64_t coarse_rows(const Sharded& value, size_t dim, int64_t ratio) {
  return ceil_div(value.base.dims[dim], value.tiling.counts[dim] / ratio);
}

// The first of the tiles that make up a coarser one begin where that does.
Sharded aligned(SpmdWriter& writer, const SpmdScope& scope, const Sharded& value, size_t dim, int64_t ratio) {
  const int64_t tile = writer.shape(value.id).dims[dim], count = value.tiling.counts[dim];
  const int64_t coarse = coarse_rows(value, dim, ratio);
  if (ratio == 1 || ratio == count || tile * ratio == coarse) return value;
  std::vector<int64_t> starts;
  for (int64_t place = 0; place < count; ++place)
    starts.push_back(place / ratio * coarse + place % ratio * tile);
  return moved_rows(writer, scope, value, dim, std::move(starts), tile);
}

// Most shards are empty: each device puts its own into zeros, and all add up.
InstructionId added_up(SpmdWriter& writer, const SpmdScope& scope, const Sharded& value, size_t dim,
                       int64_t ratio) {
  const int64_t size = coarse_rows(value, dim, ratio);
  Shape whole = writer.shape(value.id);
  const int64_t rows = whole.dims[dim];
  whole.dims[dim] = size;
  std::vector<int64_t> empty, offsets;
  for (const int64_t place : value.tiling.coordinates().along(dim)) {
    const int64_t begin = place % ratio * rows;
    empty.push_back(begin >= size ? 1 : 0);
    offsets.push_back(std::min(begin, size - rows));
  }
  const InstructionId zero = writer.zero(value.base.type), first = writer.zero(ElementType::s32);
  InstructionId id = value.id;
  if (std::ranges::count(empty, 1) > 0) {
    const Shape tile = writer.shape(id);
    const InstructionId is_empty =
        writer.compare(writer.table(scope, ElementType::s32, empty), first, CompareDirection::ne);
    id = writer.op(Opcode::select, tile,
                   {writer.broadcast(is_empty, tile.dims, {}), writer.broadcast(zero, tile.dims, {}), id});
  }
  if (size > rows) {
    std::vector<InstructionId> operands{writer.broadcast(zero, whole.dims, {}), id};
    for (size_t d = 0; d < whole.rank(); ++d)
      operands.push_back(d == dim ? writer.table(scope, ElementType::s32, offsets) : first);
    id = writer.op(Opcode::dynamic_update_slice, whole, std::move(operands));
  }
  return writer.all_reduce(id, scope, members_along(value.tiling, dim, ratio),
                           writer.adding_up(value.base.type));
}

// How a dimension is gathered: what one device has is sent before there is more of it.
enum class Gather { of_one, of_all, of_few };
Gather gather_of(int64_t rows, int64_t coarse, int64_t ratio) {
  return coarse == rows ? Gather::of_one : 2 * coarse > ratio ? Gather::of_all : Gather::of_few;
}

}  // namespace

// Every device keeps a part of what it has.
Sharded Resharder::sliced(const SpmdScope& scope, const Sharded& value, const Tiling& target) {
  const auto place = target.coordinates();
  const std::vector<int64_t> tile = tile_dims(target, value.base.dims);
  Sharded from = value;
  std::vector<int64_t> ratios;
  for (size_t d = 0; d < target.rank(); ++d) ratios.push_back(target.counts[d] / value.tiling.counts[d]);
  const int64_t first = writer_.count();
  // Padding is not sent.
  for (const bool whole : {false, true})
    for (size_t d = 0; d < target.rank(); ++d)
      if (ratios[d] > 1 && (value.tiling.counts[d] == 1) == whole)
        from = widened(writer_, scope, from, d, ratios[d] * tile[d]);
  note(first, value.tiling, "the same, other rows");
  std::vector<InstructionId> starts;
  for (size_t d = 0; d < target.rank(); ++d) {
    std::vector<int64_t> offsets;
    for (const int64_t p : place.along(d)) offsets.push_back(p % ratios[d] * tile[d]);
    starts.push_back(ratios[d] == 1 ? writer_.zero(ElementType::s32)
                                    : writer_.table(scope, ElementType::s32, offsets));
  }
  return {writer_.dynamic_slice(from.id, starts, tile), value.base, target};
}

// Every device gets what the others of its coarser tile have.
Sharded Resharder::gathered(const SpmdScope& scope, Sharded value, const Tiling& target) {
  std::vector<int64_t> ratios;
  const int64_t first = writer_.count();
  for (size_t d = 0; d < target.rank(); ++d) {
    ratios.push_back(value.tiling.counts[d] / target.counts[d]);
    value = aligned(writer_, scope, value, d, ratios[d]);
  }
  note(first, value.tiling, "the same, other rows");
  if (writer_.dialect() == SpmdDialect::tpu2022) return gather_at_once(scope, value, target);
  const std::vector<int64_t> coarse = tile_dims(target, value.base.dims), tile = writer_.shape(value.id).dims;
  const auto way = [&](size_t d) { return gather_of(tile[d], coarse[d], ratios[d]); };
  std::vector<size_t> order;
  for (size_t d = target.rank(); d-- > 0;)
    if (ratios[d] > 1) order.push_back(d);
  std::ranges::stable_sort(order, {}, way);
  for (const size_t d : order) {
    const Sharded before = value;
    const int64_t begun = writer_.count();
    value.id = way(d) == Gather::of_all
                   ? writer_.all_gather(value.id, scope, members_along(value.tiling, d, ratios[d]), d)
                   : added_up(writer_, scope, value, d, ratios[d]);
    value.tiling = coarsened(value.tiling, d, ratios[d]);
    note(begun, before.tiling, value.tiling, before.in.get());
  }
  for (const size_t d : order) value.id = writer_.slice(value.id, d, 0, coarse[d]);
  return value;
}

// The form of 2022: a new leading dimension is gathered over all devices of the coarser tile, then taken
// apart.
Sharded Resharder::gather_at_once(const SpmdScope& scope, const Sharded& value, const Tiling& target) {
  if (!target.is_replicated()) write_unused_ordinals(writer_, scope, target);
  const size_t rank = target.rank();
  std::vector<int64_t> tile = writer_.shape(value.id).dims, ratios;
  std::vector<size_t> cut;
  for (size_t d = 0; d < rank; ++d) {
    if (value.tiling.counts[d] == target.counts[d]) continue;
    cut.push_back(d);
    ratios.push_back(value.tiling.counts[d] / target.counts[d]);
  }
  std::vector<int64_t> dims{1};
  dims.insert(dims.end(), tile.begin(), tile.end());
  InstructionId id = writer_.reshape(value.id, dims);
  id = writer_.all_gather(id, scope, members_below(value.tiling, target), 0);
  dims = ratios;
  dims.insert(dims.end(), tile.begin(), tile.end());
  if (cut.size() > 1) id = writer_.reshape(id, dims);
  std::vector<int64_t> order;
  for (size_t d = 0, k = 0; d < rank; ++d) {
    if (k < cut.size() && cut[k] == d) {
      order.push_back(static_cast<int64_t>(k++));
      tile[d] *= ratios[k - 1];
    }
    order.push_back(static_cast<int64_t>(cut.size() + d));
  }
  id = writer_.reshape(writer_.transpose(id, order), tile);
  const std::vector<int64_t> whole = tile_dims(target, value.base.dims);
  for (const size_t d : cut) id = writer_.slice(id, d, 0, whole[d]);
  return {id, value.base, target};
}

}  // namespace shardscope::inline partitioner
