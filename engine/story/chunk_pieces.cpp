// SPDX-License-Identifier: Apache-2.0
#include "engine/story/chunk_pieces.h"

#include <algorithm>

#include "engine/collectives/chunk_cut.h"

namespace shardscope::inline story {
namespace {

void append_flat(const std::vector<int64_t>& dims, size_t d, IndexBox before, IndexRange flat,
                 std::vector<IndexBox>& out) {
  if (flat.size() <= 0) return;
  if (d == dims.size()) {
    out.push_back(std::move(before));
    return;
  }
  int64_t inner = 1;
  for (size_t k = d + 1; k < dims.size(); ++k) inner *= dims[k];
  const int64_t first = flat.start / inner;
  const int64_t last = (flat.stop - 1) / inner;
  const auto below = [&](int64_t row, IndexRange rest) {
    IndexBox box = before;
    box.push_back({row, row + 1});
    append_flat(dims, d + 1, std::move(box), rest, out);
  };
  const bool begins_inside = flat.start % inner != 0;
  const bool ends_inside = flat.stop % inner != 0;
  if (first == last && (begins_inside || ends_inside)) {
    below(first, {flat.start - first * inner, flat.stop - first * inner});
    return;
  }
  if (begins_inside) below(first, {flat.start - first * inner, inner});
  const IndexRange rows{first + (begins_inside ? 1 : 0), last + (ends_inside ? 0 : 1)};
  if (rows.size() > 0) {
    IndexBox box = before;
    box.push_back(rows);
    for (size_t k = d + 1; k < dims.size(); ++k) box.push_back({0, dims[k]});
    out.push_back(std::move(box));
  }
  if (ends_inside) below(last, {0, flat.stop - last * inner});
}

}  // namespace

std::vector<IndexBox> flat_boxes(const std::vector<int64_t>& dims, int64_t start, int64_t stop) {
  std::vector<IndexBox> out;
  append_flat(dims, 0, {}, {start, stop}, out);
  return out;
}

ChunkPieces::ChunkPieces(TraceState& state, const Instruction& instruction, const TimedCollective& timed)
    : i_(instruction), schedule_(*timed.schedule), dims_(state.shape_of(instruction, 0).dims) {
  const CollectiveKind kind = schedule_.kind();
  const int32_t ranks = schedule_.ranks();
  if (kind == CollectiveKind::all_gather || kind == CollectiveKind::reduce_scatter) {
    std::vector<int32_t> seen(static_cast<size_t>(ranks), 0);
    for (int32_t c = 0; c < schedule_.chunks(); ++c)
      part_.push_back(seen[static_cast<size_t>(schedule_.home(c))]++);
    parts_ = schedule_.chunks() / ranks;
  } else if (kind == CollectiveKind::all_to_all) {
    std::vector<int32_t> seen(static_cast<size_t>(ranks) * static_cast<size_t>(ranks), 0);
    for (int32_t c = 0; c < schedule_.chunks(); ++c)
      part_.push_back(seen[static_cast<size_t>(schedule_.home(c)) * static_cast<size_t>(ranks) +
                           static_cast<size_t>(schedule_.goal(c))]++);
    parts_ = schedule_.chunks() / ranks / ranks;
  }
  for (int32_t c = 0; c < schedule_.chunks(); ++c) boxes_.push_back(find_boxes(c));
}

bool ChunkPieces::reduces() const {
  const CollectiveKind kind = schedule_.kind();
  return kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::all_reduce ||
         kind == CollectiveKind::reduce;
}

int32_t ChunkPieces::origin(int32_t chunk) const {
  if (reduces()) return -1;
  return schedule_.kind() == CollectiveKind::broadcast ? 0 : schedule_.home(chunk);
}

bool ChunkPieces::ends_on(int32_t rank, int32_t chunk) const {
  switch (schedule_.kind()) {
    case CollectiveKind::reduce_scatter:
      return schedule_.home(chunk) == rank;
    case CollectiveKind::reduce:
      return rank == 0;
    case CollectiveKind::all_to_all:
      return shard_of(chunk) == rank;
    default:
      return true;
  }
}

int32_t ChunkPieces::shard_of(int32_t chunk) const {
  const bool exchanged = schedule_.kind() == CollectiveKind::all_to_all;
  return exchanged ? schedule_.goal(chunk) : schedule_.home(chunk);
}

std::vector<IndexBox> ChunkPieces::find_boxes(int32_t chunk) const {
  const CollectiveKind kind = schedule_.kind();
  const int64_t ranks = schedule_.ranks();
  std::vector<int64_t> dims = dims_;
  int64_t offset = 0;
  const auto along = static_cast<size_t>(i_.dimensions.empty() ? 0 : i_.dimensions[0]);
  const bool sliced = kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::all_to_all;
  if (sliced && along < dims.size()) {
    dims[along] /= ranks;
    offset = dims[along] * shard_of(chunk);
  }
  int64_t size = 1;
  for (const int64_t d : dims) size *= d;
  const bool by_part = kind == CollectiveKind::all_gather || sliced;
  const ChunkCut cut = by_part ? ChunkCut(size, parts_, 1) : ChunkCut(size, schedule_.chunks(), ranks);
  const int32_t part = !by_part ? chunk : part_.empty() ? chunk % parts_ : part_[static_cast<size_t>(chunk)];
  const int64_t from = cut.begin(part), to = cut.begin(part + 1);
  std::vector<IndexBox> out = flat_boxes(dims, from, to);
  if (offset > 0)
    for (IndexBox& box : out) box[along] = {box[along].start + offset, box[along].stop + offset};
  return out;
}

ShardValue ChunkPieces::of(int32_t rank, int32_t chunk, const std::vector<ShardValue>& contributed) const {
  const ShardPieces& whole = *contributed[static_cast<size_t>(rank)];
  ShardPieces inside;
  for (const IndexBox& box : boxes_[static_cast<size_t>(chunk)])
    for (const ShardPiece& piece : whole) append_inside(piece, box, inside);
  merge_neighbours(inside);
  return shared_pieces(std::move(inside));
}

}  // namespace shardscope::inline story
