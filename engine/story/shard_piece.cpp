// SPDX-License-Identifier: Apache-2.0
#include "engine/story/shard_piece.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace shardscope::inline story {
namespace {

int64_t extent_product(const StrideDigits& digits, size_t from) {
  int64_t product = 1;
  for (size_t d = from; d < digits.size(); ++d) product *= digits[d].extent;
  return product;
}

// Digits from `from` on; `run` says where they start.
void cut_from(const StrideDigits& digits, size_t from, int64_t offset, DigitRun run,
              std::vector<DigitRun>& out) {
  if (run.length <= 0) return;
  if (from == digits.size()) {
    out.push_back(std::move(run));
    return;
  }
  const int64_t inner = extent_product(digits, from + 1);
  const int64_t end = offset + run.length;
  const int64_t first = offset / inner;
  const int64_t last = (end - 1) / inner;
  const int64_t stride = digits[from].stride;
  if (offset % inner == 0 && end % inner == 0) {
    run.base += first * stride;
    run.digits = {{last - first + 1, stride}};
    run.digits.append(digits.begin() + static_cast<std::ptrdiff_t>(from) + 1, digits.end());
    normalise(run.digits);
    out.push_back(std::move(run));
  } else if (first == last) {
    run.base += first * stride;
    cut_from(digits, from + 1, offset - first * inner, std::move(run), out);
  } else {  // the rest of the first digit, whole digits, the beginning of the last
    const int64_t body = (offset + inner - 1) / inner * inner;
    const int64_t tail = end / inner * inner;
    cut_from(digits, from, offset, {run.position, body - offset, run.base, {}}, out);
    cut_from(digits, from, body, {run.position + body - offset, tail - body, run.base, {}}, out);
    cut_from(digits, from, tail, {run.position + tail - offset, end - tail, run.base, {}}, out);
  }
}

// p and q, of the same inner digits, as one run; `gap` is how much further on q starts. Empty when they do
// not join.
StrideDigits joined_digits(const StrideDigits& p, const StrideDigits& q, int64_t gap) {
  const auto inner = [](const StrideDigits& digits) {
    return StrideDigits(digits.begin() + (digits.empty() ? 0 : 1), digits.end());
  };
  const auto with_outer = [](int64_t extent, int64_t stride, StrideDigits rest) {
    rest.push_front({extent, stride});
    normalise(rest);
    return rest;
  };
  if (!p.empty() && !q.empty() && p[0].stride == q[0].stride && inner(p) == inner(q) &&
      gap == p[0].extent * p[0].stride)
    return with_outer(p[0].extent + q[0].extent, p[0].stride, inner(p));
  if (!q.empty() && p == inner(q) && gap == q[0].stride) return with_outer(q[0].extent + 1, gap, p);
  if (!p.empty() && q == inner(p) && gap == p[0].extent * p[0].stride)
    return with_outer(p[0].extent + 1, p[0].stride, q);
  if (p == q && gap > 0) return with_outer(2, gap, p);
  return {};
}

bool join_along(ShardPiece& p, const ShardPiece& q, size_t along) {
  if (p.kind != q.kind || p.array != q.array || p.k_set != q.k_set) return false;
  for (size_t d = 0; d < p.dims.size(); ++d)
    if (d != along && p.dims[d] != q.dims[d]) return false;
  PieceDim& a = p.dims[along];
  const PieceDim& b = q.dims[along];
  if (a.local.stop != b.local.start) return false;
  int global = a.global >= 0 ? a.global : b.global;
  if (a.global >= 0 && b.global >= 0 && a.global != b.global) return false;
  int64_t gap = 0;
  for (size_t g = 0; g < p.base.size(); ++g) {
    if (p.base[g] == q.base[g]) continue;
    if (global < 0) global = static_cast<int>(g);
    if (static_cast<int>(g) != global) return false;
    gap = q.base[g] - p.base[g];
  }
  StrideDigits digits;
  if (global < 0) {  // it repeats
    digits = {{b.local.stop - a.local.start, 0}};
  } else {
    digits = joined_digits(a.digits, b.digits, gap);
    if (digits.empty()) return false;
  }
  a.digits = std::move(digits);
  a.global = global;
  a.local.stop = b.local.stop;
  return true;
}

}  // namespace

void normalise(StrideDigits& digits) {
  if (digits.empty() || (digits.size() == 1 && digits[0].extent != 1)) return;
  StrideDigits out;
  for (const StrideDigit& digit : digits) {
    if (digit.extent == 1) continue;
    if (!out.empty() && out.back().stride == digit.stride * digit.extent)
      out.back() = {out.back().extent * digit.extent, digit.stride};
    else
      out.push_back(digit);
  }
  digits = std::move(out);
}

std::vector<DigitRun> cut_digits(const StrideDigits& digits, int64_t offset, int64_t length) {
  std::vector<DigitRun> runs;
  cut_from(digits, 0, offset, {0, length, 0, {}}, runs);
  return runs;
}

std::vector<IndexRange> visited_ranges(StrideDigits digits, int64_t base) {
  std::sort(digits.begin(), digits.end(), [](const auto& a, const auto& b) { return a.stride < b.stride; });
  int64_t run = 1;
  size_t d = 0;
  for (; d < digits.size() && digits[d].stride == run; ++d) run *= digits[d].extent;
  size_t all = 1;
  for (size_t outer = d; outer < digits.size(); ++outer) all *= static_cast<size_t>(digits[outer].extent);
  std::vector<IndexRange> ranges;
  ranges.reserve(all);
  ranges.push_back({base, base + run});
  for (; d < digits.size(); ++d) {
    const size_t count = ranges.size();
    for (int64_t step = 1; step < digits[d].extent; ++step)
      for (size_t r = 0; r < count; ++r)
        ranges.push_back(
            {ranges[r].start + step * digits[d].stride, ranges[r].stop + step * digits[d].stride});
  }
  if (!std::is_sorted(ranges.begin(), ranges.end())) std::sort(ranges.begin(), ranges.end());
  return ranges;
}

ShardPiece zero_piece(const std::vector<int64_t>& dims) {
  ShardPiece piece;
  for (const int64_t size : dims) {
    piece.dims.push_back({{0, size}, -1, {{size, 0}}});
    normalise(piece.dims.back().digits);
  }
  return piece;
}

ShardPiece fill_piece(const std::vector<int64_t>& dims) {
  ShardPiece piece = zero_piece(dims);
  piece.kind = ShardPiece::Kind::fill;
  return piece;
}

ShardPiece input_piece(int array, const IndexBox& slices) {
  ShardPiece piece;
  piece.kind = ShardPiece::Kind::part;
  piece.array = array;
  for (const IndexRange& range : slices) {
    piece.dims.push_back({{0, range.size()}, static_cast<int>(piece.base.size()), {{range.size(), 1}}});
    normalise(piece.dims.back().digits);
    piece.base.push_back(range.start);
  }
  return piece;
}

IndexBox local_box(const ShardPiece& piece) {
  IndexBox box(piece.dims.size());
  for (size_t d = 0; d < box.size(); ++d) box[d] = piece.dims[d].local;
  return box;
}

bool intersects(const IndexBox& a, const IndexBox& b) {
  for (size_t d = 0; d < a.size(); ++d)
    if (std::max(a[d].start, b[d].start) >= std::min(a[d].stop, b[d].stop)) return false;
  return true;
}

void append_inside(const ShardPiece& piece, const IndexBox& window, ShardPieces& out) {
  bool whole = true;
  for (size_t d = 0; d < window.size(); ++d) {
    const IndexRange& local = piece.dims[d].local;
    if (std::max(local.start, window[d].start) >= std::min(local.stop, window[d].stop)) return;
    whole = whole && local.start >= window[d].start && local.stop <= window[d].stop;
  }
  if (whole) {
    out.push_back(piece);
    return;
  }
  ShardPieces cut = {piece};
  for (size_t d = 0; d < window.size(); ++d) {
    const PieceDim& dim = piece.dims[d];
    const int64_t start = std::max(dim.local.start, window[d].start);
    const int64_t stop = std::min(dim.local.stop, window[d].stop);
    if (start == dim.local.start && stop == dim.local.stop) continue;
    const auto runs = cut_digits(dim.digits, start - dim.local.start, stop - start);
    ShardPieces next;
    next.reserve(cut.size() * runs.size());
    for (ShardPiece& part : cut) {
      for (const DigitRun& run : runs) {
        // NOLINTNEXTLINE(bugprone-use-after-move): moved once
        next.push_back(runs.size() == 1 ? std::move(part) : part);
        next.back().dims[d] = {
            {start + run.position, start + run.position + run.length}, dim.global, run.digits};
        if (dim.global >= 0) next.back().base[static_cast<size_t>(dim.global)] += run.base;
      }
    }
    cut = std::move(next);
  }
  out.insert(out.end(), std::make_move_iterator(cut.begin()), std::make_move_iterator(cut.end()));
}

void append_outside(const ShardPiece& piece, const IndexBox& window, ShardPieces& out) {
  IndexBox rest = local_box(piece);
  if (!intersects(rest, window)) {
    out.push_back(piece);
    return;
  }
  for (size_t d = 0; d < window.size(); ++d) {
    IndexBox side = rest;
    side[d] = {rest[d].start, window[d].start};
    if (side[d].size() > 0) append_inside(piece, side, out);
    side[d] = {window[d].stop, rest[d].stop};
    if (side[d].size() > 0) append_inside(piece, side, out);
    rest[d] = {std::max(rest[d].start, window[d].start), std::min(rest[d].stop, window[d].stop)};
  }
}

void move_by(ShardPiece& piece, size_t dim, int64_t distance) {
  piece.dims[dim].local.start += distance;
  piece.dims[dim].local.stop += distance;
}

void merge_neighbours(ShardPieces& pieces) {
  if (pieces.size() < 2) return;
  for (size_t along = pieces[0].dims.size(); along-- > 0;) {
    // Neighbours along this dimension stand side by side.
    std::sort(pieces.begin(), pieces.end(), [&](const ShardPiece& a, const ShardPiece& b) {
      for (size_t d = 0; d < a.dims.size(); ++d)
        if (d != along && a.dims[d].local != b.dims[d].local) return a.dims[d].local < b.dims[d].local;
      return a.dims[along].local < b.dims[along].local;
    });
    ShardPieces merged;
    for (ShardPiece& piece : pieces)
      if (merged.empty() || !join_along(merged.back(), piece, along)) merged.push_back(std::move(piece));
    pieces = std::move(merged);
  }
}

}  // namespace shardscope::inline story
