// SPDX-License-Identifier: Apache-2.0
#include "engine/story/holdings.h"

#include <algorithm>
#include <map>

#include "engine/story/shard_tracer.h"

namespace shardscope {
namespace {

constexpr size_t kMaxHeldPieces = 100'000;

// What a piece is of, its place in the local array aside: equal pieces have equal keys.
std::vector<int64_t> region_key(const ShardPiece& piece) {
  std::vector<int64_t> key = {static_cast<int64_t>(piece.kind), piece.array, piece.k_set};
  for (size_t g = 0; g < piece.base.size(); ++g) {
    StrideDigits digits;
    for (const PieceDim& dim : piece.dims)
      if (dim.global == static_cast<int>(g))
        digits.insert(digits.end(), dim.digits.begin(), dim.digits.end());
    std::sort(digits.begin(), digits.end(), [](const auto& a, const auto& b) { return a.stride > b.stride; });
    normalise(digits);
    key.push_back(piece.base[g]);
    key.push_back(static_cast<int64_t>(digits.size()));
    for (const StrideDigit& digit : digits) {
      key.push_back(digit.extent);
      key.push_back(digit.stride);
    }
  }
  return key;
}

// The contiguous boxes that a region_key stands for.
void append_boxes(const std::vector<int64_t>& key, ArrayRole role, int64_t k_covered, int64_t k_whole,
                  std::vector<HeldPiece>& out) {
  std::vector<IndexBox> boxes = {{}};
  for (size_t at = 3; at < key.size();) {
    const int64_t base = key[at];
    const auto count = static_cast<size_t>(key[at + 1]);
    StrideDigits digits;
    for (size_t d = 0; d < count; ++d) digits.push_back({key[at + 2 + 2 * d], key[at + 3 + 2 * d]});
    at += 2 + 2 * count;
    std::vector<IndexBox> next;
    const std::vector<IndexRange> ranges = visited_ranges(digits, base);
    if (boxes.size() * ranges.size() > kMaxHeldPieces) return;
    for (const IndexBox& box : boxes) {
      for (const IndexRange& range : ranges) {
        next.push_back(box);
        next.back().push_back(range);
      }
    }
    boxes = std::move(next);
  }
  for (IndexBox& box : boxes) out.push_back({role, std::move(box), k_covered, k_whole});
}

int64_t box_count(const std::vector<int64_t>& key) {
  double boxes = 1;
  for (size_t at = 3; at < key.size();) {
    const auto count = static_cast<size_t>(key[at + 1]);
    for (size_t d = 0; d < count; ++d)
      if (key[at + 3 + 2 * d] != 1) boxes *= static_cast<double>(key[at + 2 + 2 * d]);
    at += 2 + 2 * count;
  }
  return boxes > 1e9 ? int64_t{1'000'000'000} : static_cast<int64_t>(boxes);
}

// X, W and their product; none of other arrays.
std::optional<ArrayRole> role_of(const TraceState& traced, int array) {
  for (size_t k = 0; k < traced.inputs.size(); ++k)
    if (traced.inputs[k] == array) return traced.program.inputs[k].role;
  if (traced.arrays.at(array).terms > 0) return ArrayRole::product;
  return std::nullopt;
}

}  // namespace

Result<Holdings> Holdings::trace(const Program& program) {
  TRY(const TraceState traced, trace_shards(program));
  Holdings holdings;
  holdings.devices_ = program.mesh.device_count();
  holdings.k_overcounted_ = !traced.added_twice.empty();
  holdings.pieces_.emplace_back();
  const auto devices = static_cast<size_t>(holdings.devices_);
  std::map<std::vector<std::vector<int64_t>>, int32_t> places = {{{}, 0}};
  int64_t pieces = 0;
  for (size_t i = 0; i < program.entry_computation().instructions.size(); ++i) {
    for (size_t d = 0; d < devices; ++d) {
      std::vector<std::vector<int64_t>> keys;
      for (const ShardPiece& piece : *traced.values[i][d])
        if (piece.kind == ShardPiece::Kind::part) keys.push_back(region_key(piece));
      std::sort(keys.begin(), keys.end());
      const auto [place, made] = places.try_emplace(keys, static_cast<int32_t>(holdings.pieces_.size()));
      holdings.held_.push_back(place->second);
      if (!made) continue;
      std::vector<HeldPiece>& list = holdings.pieces_.emplace_back();
      for (const auto& key : keys) {
        pieces += box_count(key);
        if (pieces > static_cast<int64_t>(kMaxHeldPieces))
          return too_big("too many pieces to trace", "program " + program.name,
                         "use fewer slices or larger blocks");
        const auto array = static_cast<int>(key[1]);
        const auto role = role_of(traced, array);
        if (!role) continue;
        const bool sum = key[2] >= 0;
        append_boxes(key, *role, sum ? traced.sets.size(static_cast<int>(key[2])) : 0,
                     sum ? traced.arrays.at(array).terms : 0, list);
      }
    }
  }
  return holdings;
}

const std::vector<HeldPiece>& Holdings::at(InstructionId instruction, DeviceId device) const {
  return pieces_[static_cast<size_t>(
      held_[static_cast<size_t>(instruction.value * devices_ + device.value)])];
}

}  // namespace shardscope
