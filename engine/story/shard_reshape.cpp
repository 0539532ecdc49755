// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/story/shard_piece.h"

namespace shardscope::inline story {
namespace {

// Enumerating more rows than that of a box which is no run is given up.
constexpr int64_t kMaxRowsOfABox = 4096;

// Dimensions [from, from_end) become dimensions [to, to_end), of as many elements.
struct ReshapeGroup {
  size_t from, from_end, to, to_end;
};

// A box of the group's flattened dimension.
struct FlatRun {
  int64_t start = 0;
  DigitRun run;
};

// New dimensions of a group and where their box starts in global dimension `global`.
struct SplitBox {
  std::vector<PieceDim> dims;
  int64_t base = 0;
};

std::vector<ReshapeGroup> reshape_groups(const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  std::vector<ReshapeGroup> groups;
  size_t i = 0;
  size_t j = 0;
  while (i < from.size() || j < to.size()) {
    ReshapeGroup group{i, i, j, j};
    int64_t a = 1;
    int64_t b = 1;
    do {
      if (i < from.size() && (a <= b || j >= to.size())) {
        a *= from[i++];
      } else {
        b *= to[j++];
      }
    } while (a != b && (i < from.size() || j < to.size()));
    if (a == b && a == 1 && !groups.empty() && i >= from.size() && j >= to.size()) {
      groups.back().from_end = i;
      groups.back().to_end = j;
      break;
    }
    group.from_end = i;
    group.to_end = j;
    groups.push_back(group);
  }
  return groups;
}

int64_t size_product(const std::vector<int64_t>& sizes, size_t first, size_t last) {
  int64_t product = 1;
  for (size_t d = first; d < last; ++d) product *= sizes[d];
  return product;
}

// The one global dimension that the dimensions of a group feed; none when there are two.
std::optional<int> group_global(const ShardPiece& piece, size_t first, size_t last) {
  int global = -1;
  for (size_t d = first; d < last; ++d) {
    const PieceDim& dim = piece.dims[d];
    if (dim.digits.empty() || dim.global < 0) continue;
    if (global >= 0 && global != dim.global) return std::nullopt;
    global = dim.global;
  }
  return global;
}

// A box of several dimensions is a run of the flattened one as long as all but its first dimension are whole.
std::vector<FlatRun> flatten_group(const ShardPiece& piece, const std::vector<int64_t>& sizes, size_t first,
                                   size_t last) {
  size_t run_from = last == first ? first : last - 1;
  const auto whole = [&](size_t d) { return piece.dims[d].local.size() == sizes[d]; };
  while (run_from > first && whole(run_from)) --run_from;
  StrideDigits digits;
  for (size_t d = run_from; d < last; ++d)
    digits.append(piece.dims[d].digits.begin(), piece.dims[d].digits.end());
  normalise(digits);
  const int64_t inner = size_product(sizes, run_from + 1, last);
  int64_t start = 0;
  int64_t length = 1;
  for (size_t d = first; d < last; ++d) start = start * sizes[d] + piece.dims[d].local.start;
  for (size_t d = run_from; d < last; ++d) length *= piece.dims[d].local.size();
  std::vector<FlatRun> runs = {{start, {0, length, 0, digits}}};
  int64_t pitch = last == first ? 1 : inner * sizes[run_from];
  for (size_t d = run_from; d-- > first;) {  // rows above it, one by one
    const int64_t rows = piece.dims[d].local.size();
    if (rows * static_cast<int64_t>(runs.size()) > kMaxRowsOfABox) return {};
    const size_t count = runs.size();
    for (int64_t row = 1; row < rows; ++row) {
      const int64_t base = cut_digits(piece.dims[d].digits, row, 1).front().base;
      for (size_t r = 0; r < count; ++r) {
        runs.push_back(runs[r]);
        runs.back().start += row * pitch;
        runs.back().run.base += base;
      }
    }
    pitch *= sizes[d];
  }
  return runs;
}

// The fastest digits of `digits` that make `extent`, taken away from it.
std::optional<StrideDigits> take_inner(StrideDigits& digits, int64_t extent) {
  StrideDigits taken;
  while (extent > 1) {
    if (digits.empty()) return std::nullopt;
    StrideDigit& digit = digits.back();
    if (digit.extent <= extent) {
      if (extent % digit.extent != 0) return std::nullopt;
      extent /= digit.extent;
      taken.push_back(digit);
      digits.pop_back();
    } else {
      if (digit.extent % extent != 0) return std::nullopt;
      taken.push_back({extent, digit.stride});
      digit = {digit.extent / extent, digit.stride * extent};
      extent = 1;
    }
  }
  std::reverse(taken.begin(), taken.end());
  return taken;
}

// The dimensions up to `last` that a flattened one becomes, of one global dimension.
struct SplitInto {
  const std::vector<int64_t>& sizes;
  size_t last = 0;
  int global = 0;
};

// A run of the flattened dimension as boxes of dimensions from `first` on.
void split_run(const SplitInto& into, size_t first, int64_t start, const DigitRun& run,
               const SplitBox& before, std::vector<SplitBox>& out) {
  const auto& [sizes, last, global] = into;
  if (run.length <= 0) return;
  if (first == last) {
    out.push_back(before);
    out.back().base += run.base;
    return;
  }
  const int64_t inner = size_product(sizes, first + 1, last);
  const int64_t end = start + run.length;
  const int64_t row = start / inner;
  const int64_t last_row = (end - 1) / inner;
  SplitBox box = before;
  if (start % inner == 0 && end % inner == 0) {
    StrideDigits rest = run.digits;
    std::vector<PieceDim> dims;
    for (size_t d = last; d-- > first + 1;) {
      auto digits = take_inner(rest, sizes[d]);
      if (!digits) return;
      dims.push_back({{0, sizes[d]}, global, *std::move(digits)});
    }
    dims.push_back({{row, last_row + 1}, global, std::move(rest)});
    box.dims.insert(box.dims.end(), dims.rbegin(), dims.rend());
    box.base += run.base;
    out.push_back(std::move(box));
    return;
  }
  if (row == last_row) {
    box.dims.push_back({{row, row + 1}, global, {}});
    split_run(into, first + 1, start - row * inner, run, box, out);
    return;
  }
  const int64_t body = (start + inner - 1) / inner * inner;
  const int64_t tail = end / inner * inner;
  for (const auto& [from, to] : {std::pair(start, body), std::pair(body, tail), std::pair(tail, end)}) {
    if (from >= to) continue;
    for (DigitRun part : cut_digits(run.digits, from - start, to - from)) {
      part.base += run.base;
      split_run(into, first, from + part.position, part, before, out);
    }
  }
}

void reshape_piece(const ShardPiece& piece, const std::vector<ReshapeGroup>& groups,
                   const std::vector<int64_t>& from, const std::vector<int64_t>& to, ShardPieces& out) {
  ShardPiece start = piece;
  start.dims.clear();
  ShardPieces made = {start};
  for (const ReshapeGroup& group : groups) {
    const auto global = group_global(piece, group.from, group.from_end);
    if (!global) return;
    std::vector<SplitBox> boxes;
    for (const FlatRun& flat : flatten_group(piece, from, group.from, group.from_end))
      split_run({to, group.to_end, *global}, group.to, flat.start, flat.run, {}, boxes);
    ShardPieces next;
    for (const ShardPiece& part : made) {
      for (const SplitBox& box : boxes) {
        next.push_back(part);
        next.back().dims.insert(next.back().dims.end(), box.dims.begin(), box.dims.end());
        if (*global >= 0) next.back().base[static_cast<size_t>(*global)] += box.base;
      }
    }
    made = std::move(next);
  }
  out.insert(out.end(), std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
}

}  // namespace

std::vector<std::vector<int>> joined_globals(const ShardPiece& piece, const std::vector<int64_t>& from,
                                             const std::vector<int64_t>& to) {
  std::vector<std::vector<int>> out;
  for (const ReshapeGroup& group : reshape_groups(from, to)) {
    std::vector<int> globals;
    for (size_t d = group.from; d < group.from_end; ++d) {
      const int global = piece.dims[d].global;
      if (global >= 0 && (globals.empty() || globals.back() != global)) globals.push_back(global);
    }
    if (globals.size() > 1) out.push_back(std::move(globals));
  }
  return out;
}

ShardPieces reshape_pieces(const ShardPieces& pieces, const std::vector<int64_t>& from,
                           const std::vector<int64_t>& to) {
  const auto groups = reshape_groups(from, to);
  ShardPieces out;
  for (const ShardPiece& piece : pieces) reshape_piece(piece, groups, from, to, out);
  merge_neighbours(out);
  return out;
}

}  // namespace shardscope::inline story
