// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/rules/windowed_input.h"

#include <algorithm>
#include <numeric>

#include "engine/base/units.h"
#include "engine/partition/rules/halo.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline partitioner {
namespace {

// An element at a time: where it lies does not matter.
bool is_single(const WindowDim& w) {
  return w == WindowDim{};
}

// Windows along a dimension that is cut, and what they read: `rows` of the array, which `exchange` gets.
struct CutWindows {
  RowWindow rows;
  RowExchange exchange;
  WindowDim window;
  std::vector<int64_t> begins;  // by place; empty: everywhere at the start
};

// Windows of a dimension of `size` rows in `count` places of `tile` rows each.
class WindowPlan {
 public:
  WindowPlan(const WindowDim& w, size_t dim, int64_t size, int64_t tile, int64_t count)
      : w_(w), dim_(dim), size_(size), tile_(tile), count_(count), windows_(window_places(w, size)) {
    per_place_ = ceil_div(windows_, count);
    left_ = w.low / w.base_dilation;
  }

  std::optional<CutWindows> plan() {
    const bool dilated = w_.base_dilation != 1;
    if (windows_ <= 0 || size_ == 0) return std::nullopt;
    if (dilated && w_.low < 0 && w_.low % w_.base_dilation != 0) return std::nullopt;
    if (w_.stride != 1 && w_.stride * per_place_ % w_.base_dilation != 0) return std::nullopt;
    CutWindows out{{dim_, {}, 0}, {}, w_, {}};
    for (int64_t place = 0; place < count_; ++place) {
      out.rows.starts.push_back(start(place) - left_);
      out.rows.size = std::max(out.rows.size, limit(place) - start(place));
    }
    out.window.low = out.window.high = 0;
    if (dilated) dilate(out);
    out.exchange = exchange(dilated || w_.window_dilation != 1);
    return out;
  }

 private:
  // Of the windows of one place, from the first element of the first to the last of the last.
  int64_t reach() const { return w_.stride * (per_place_ - 1) + (w_.size - 1) * w_.window_dilation + 1; }
  int64_t before() const { return w_.low % w_.base_dilation; }  // places before the first row
  // In rows, those of the padding before the array counted.
  int64_t start(int64_t place) const {
    return (w_.stride * per_place_ * place + w_.base_dilation - 1 - before()) / w_.base_dilation;
  }
  int64_t limit(int64_t place) const {
    return (w_.stride * per_place_ * place + reach() + w_.base_dilation - 1 - before()) / w_.base_dilation;
  }
  // Rows begin at other places between the dilated array's elements everywhere: windows are made for all of
  // those.
  void dilate(CutWindows& out) const {
    std::vector<int64_t> firsts;
    for (int64_t place = 0; place < count_; ++place)
      firsts.push_back(start(place) * w_.base_dilation + before() - w_.stride * per_place_ * place);
    const auto [least, most] = std::ranges::minmax(firsts);
    out.window.low = most;
    out.window.high = std::max<int64_t>(0, reach() - least - ((out.rows.size - 1) * w_.base_dilation + 1));
    if (least == most) return;
    for (const int64_t first : firsts) out.begins.push_back(most - first);
  }

  RowExchange exchange(bool all_places) {
    RowExchange out{dim_, size_, tile_, 0, {}, {}, {}};
    int64_t count = count_, left = left_, skipped = 0;
    if (windows_ < count_ && !all_places) {
      without_last(out, count);
      if (count > 1) skipped = without_middle(out, count, left);
    }
    for (int64_t k = 0; k < count; ++k) {
      out.places.push_back(k < windows_ ? k : k + skipped);
      out.starts.push_back(start(k) - left);
      out.limits.push_back(limit(k) - left);
    }
    return out;
  }
  // Fewer windows than places: the last ones have nothing of what is read.
  void without_last(RowExchange& out, int64_t& count) const {
    const int64_t useful = ceil_div(size_ + w_.high, tile_), all = size_ + w_.high + w_.low;
    if (useful >= count) return;
    count = std::max(useful, windows_);
    out.rows = tile_ * count;
    if (count == 1 || (tile_ * count > size_ && w_.high > 0)) return;
    if (w_.high < 0 && all - w_.low < tile_) {
      out.tile = all - w_.low;
      out.rows = out.tile * count;
    }
  }
  // Neither have places between those with windows and those with what they read. Gives how many.
  int64_t without_middle(RowExchange& out, int64_t& count, int64_t& left) const {
    const int64_t skipped = -left / out.tile - windows_;
    if (skipped <= 0) return 0;
    const int64_t all = size_ + w_.high + w_.low;
    count -= skipped;
    left += skipped * out.tile;
    const int64_t before = -left - out.tile * (count - 1);
    if (before > 0) {
      out.tile -= before;
      left += before * count;
      out.first = before;
      if (all < out.tile) {
        left += (out.tile - all) * (count - 1);
        out.tile = all;
      }
    }
    out.rows = out.tile * count;
    return skipped;
  }

  WindowDim w_;
  size_t dim_;
  int64_t size_, tile_, count_, windows_;
  int64_t per_place_ = 0;
  int64_t left_ = 0;  // rows of padding before the array
};

// None: some dimension has no plan.
std::optional<std::vector<CutWindows>> cut_windows(const std::vector<WindowDim>& window, const Tiling& at,
                                                   const std::vector<int64_t>& base) {
  std::vector<CutWindows> out;
  for (size_t d = 0; d < window.size(); ++d) {
    if (at.counts[d] == 1 || is_single(window[d])) continue;
    const int64_t tile = ceil_div(base[d], at.counts[d]);
    auto plan = WindowPlan(window[d], d, base[d], tile, at.counts[d]).plan();
    if (!plan) return std::nullopt;
    out.push_back(*std::move(plan));
  }
  return out;
}

bool is_gathered(const SpmdContext& cx, const std::vector<CutWindows>& cuts) {
  return std::ranges::any_of(cuts, [&](const CutWindows& cut) {
    return cut.exchange.count() > 1 && way_of(cut.exchange, cx.writer.dialect()) == RowWay::gather;
  });
}

}  // namespace

std::optional<WindowedInput> windowed_input(const SpmdContext& cx, const SpmdScope& scope,
                                            const Sharded& value, const WindowedUse& use) {
  const auto& [window, at, filler, why] = use;
  const auto cuts = cut_windows(window, at, value.base.dims);
  if (at.is_replicated() || !cuts) return std::nullopt;
  WindowedInput out{value, window, std::vector<std::vector<int64_t>>(window.size())};
  std::vector<int64_t> dims;
  for (const CutWindows& cut : *cuts) dims.push_back(static_cast<int64_t>(cut.rows.dim));
  const Tiling whole = at.merged(dims);
  const bool is_there = value.tiling.is_replicated() || same_tiles(value.tiling, whole);
  const bool own = (is_there && !same_tiles(value.tiling, at)) || is_gathered(cx, *cuts);
  if (!is_there || same_tiles(value.tiling, at)) {
    Resharder::Because because(cx.resharder, why.halo, why.operand);
    out.value = cx.resharder.to(scope, value, at);
  }
  if (own) {
    Resharder::Because because(cx.resharder, why.gathered, why.operand);
    out.value = cx.resharder.to(scope, out.value, whole);
  }
  Resharder::Because because(cx.resharder, why.halo, "halo");
  for (const CutWindows& cut : *cuts) {
    const size_t d = cut.rows.dim;
    if (own) {
      out.value =
          own_rows(cx, scope, out.value, at, cut.rows, filler ? *filler : cx.writer.zero(value.base.type));
    } else {
      out.value = exchanged_rows(cx, scope, out.value, cut.exchange);
      if (filler) out.value.id = only_rows_of_array(cx, scope, out.value, cut.rows, *filler);
    }
    out.window[d] = cut.window;
    if (cut.begins.empty()) continue;
    for (const int64_t place : at.coordinates().along(d))
      out.begins[d].push_back(cut.begins[static_cast<size_t>(place)]);
  }
  out.value.tiling = at;
  return out;
}

InstructionId own_part(const SpmdContext& cx, const SpmdScope& scope, InstructionId made,
                       const std::vector<std::vector<int64_t>>& begins, const std::vector<int64_t>& tile) {
  for (size_t d = 0; d < tile.size(); ++d)
    if (!begins[d].empty()) made = cx.writer.rows_at(made, scope, d, begins[d], tile[d]);
  return made;
}

}  // namespace shardscope::inline partitioner
