// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/visualise.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

#include "engine/base/units.h"

namespace shardscope::inline sharding {
namespace {

constexpr int64_t kMaxRows = 32, kMaxColumns = 16, kMaxGrids = 16;
constexpr size_t kMaxIds = 8;

// Data tiles of an array and who holds each.
struct TileGrid {
  std::vector<int64_t> counts;  // tiles per dimension
  std::vector<int64_t> global, tile;
  std::vector<int64_t> devices;  // row-major over counts, `copies` neighbours a tile; empty: every device
  int64_t copies = 1;
};

std::string range_label(const TileGrid& t, size_t dim, int64_t index) {
  const int64_t size = t.global[dim], tile = t.tile[dim];
  const int64_t start = std::min(checked_multiply(index, tile).value_or(size), size);
  const int64_t stop = size - start < tile ? size : start + tile;
  const int64_t padding = tile - (stop - start);
  if (padding == 0) return fmt::format("{}:{}", start, stop);
  if (start == stop) return fmt::format("all padding +{}", padding);
  return fmt::format("{}:{} +{}", start, stop, padding);
}

std::string cell_label(const TileGrid& t, int64_t place) {
  if (t.devices.empty()) return "every device";
  const auto first = t.devices.begin() + place * t.copies;
  std::vector<int64_t> ids(first, first + t.copies);
  std::sort(ids.begin(), ids.end());
  if (ids.size() <= kMaxIds) return fmt::format("{}", fmt::join(ids, ","));
  return fmt::format("{},{},{},…,{} ({} devices)", ids[0], ids[1], ids[2], ids.back(),
                     group_digits(t.copies));
}

// Characters on screen of an UTF-8 text.
size_t text_width(const std::string& text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, size_t width) {
  return text + std::string(width - text_width(text), ' ');
}

std::string rule(const std::vector<size_t>& widths, size_t margin, const char* left, const char* middle,
                 const char* right) {
  std::string out = std::string(margin, ' ') + left;
  for (size_t c = 0; c < widths.size(); ++c) {
    if (c > 0) out += middle;
    for (size_t i = 0; i < widths[c] + 2; ++i) out += "─";
  }
  return out + right + "\n";
}

// One grid: `cells` by row, heads beside and above.
std::string draw_grid(const std::vector<std::string>& row_heads, const std::vector<std::string>& column_heads,
                      const std::vector<std::vector<std::string>>& cells) {
  std::vector<size_t> widths;
  for (size_t c = 0; c < column_heads.size(); ++c) {
    widths.push_back(text_width(column_heads[c]));
    for (const auto& row : cells) widths[c] = std::max(widths[c], text_width(row[c]));
  }
  size_t head = 0;
  for (const std::string& text : row_heads) head = std::max(head, text_width(text));
  const size_t margin = head == 0 ? 0 : head + 1;
  std::string out(margin, ' ');
  for (size_t c = 0; c < widths.size(); ++c) out += "  " + padded(column_heads[c], widths[c] + 1);
  while (!out.empty() && out.back() == ' ') out.pop_back();
  out += out.empty() ? "" : "\n";
  out += rule(widths, margin, "┌", "┬", "┐");
  for (size_t r = 0; r < cells.size(); ++r) {
    if (r > 0) out += rule(widths, margin, "├", "┼", "┤");
    out += padded(row_heads[r], margin) + "│";
    for (size_t c = 0; c < widths.size(); ++c) out += " " + padded(cells[r][c], widths[c]) + " │";
    out += "\n";
  }
  return out + rule(widths, margin, "└", "┴", "┘");
}

std::string draw_slice(const TileGrid& t, int64_t first_place) {
  const size_t rank = t.counts.size();
  const int64_t columns = rank >= 1 ? t.counts[rank - 1] : 1;
  const int64_t rows = rank >= 2 ? t.counts[rank - 2] : 1;
  const int64_t shown_rows = std::min(rows, kMaxRows), shown_columns = std::min(columns, kMaxColumns);
  std::vector<std::string> row_heads, column_heads;
  for (int64_t c = 0; c < shown_columns; ++c)
    column_heads.push_back(rank >= 1 ? range_label(t, rank - 1, c) : "");
  for (int64_t r = 0; r < shown_rows; ++r) row_heads.push_back(rank >= 2 ? range_label(t, rank - 2, r) : "");
  std::vector<std::vector<std::string>> cells;
  for (int64_t r = 0; r < shown_rows; ++r) {
    auto& row = cells.emplace_back();
    for (int64_t c = 0; c < shown_columns; ++c) row.push_back(cell_label(t, first_place + r * columns + c));
  }
  std::string out = draw_grid(row_heads, column_heads, cells);
  if (rows > shown_rows) out += fmt::format("… and {} more rows\n", group_digits(rows - shown_rows));
  if (columns > shown_columns)
    out += fmt::format("… and {} more columns\n", group_digits(columns - shown_columns));
  return out;
}

std::string draw(const TileGrid& t) {
  const size_t rank = t.counts.size();
  if (rank <= 2) return draw_slice(t, 0);
  int64_t grids = 1;
  for (size_t d = 0; d + 2 < rank; ++d) grids *= t.counts[d];
  const int64_t tiles_per_grid = t.counts[rank - 2] * t.counts[rank - 1];
  std::string out;
  for (int64_t g = 0; g < std::min(grids, kMaxGrids); ++g) {
    std::vector<std::string> label(rank, ":");
    int64_t rest = g;
    for (size_t d = rank - 2; d-- > 0;) {
      label[d] = range_label(t, d, rest % t.counts[d]);
      rest /= t.counts[d];
    }
    out += fmt::format("[{}]\n{}", fmt::join(label, ", "), draw_slice(t, g * tiles_per_grid));
  }
  if (grids > kMaxGrids) out += fmt::format("… and {} more slices\n", group_digits(grids - kMaxGrids));
  return out;
}

TileGrid one_tile(const std::vector<int64_t>& global, int64_t devices) {
  TileGrid t{std::vector<int64_t>(global.size(), 1), global, global, {}, devices};
  t.devices.resize(static_cast<size_t>(devices));
  std::iota(t.devices.begin(), t.devices.end(), 0);
  return t;
}

TileGrid tiling_of(const HloSharding& sharding, const std::vector<int64_t>& global) {
  const size_t rank = sharding.data_rank();
  TileGrid t{{}, global, sharding.tile_shape(global), sharding.tiles.devices};
  t.counts.assign(sharding.tiles.dims.begin(), sharding.tiles.dims.begin() + static_cast<int64_t>(rank));
  t.copies = std::accumulate(sharding.tiles.dims.begin() + static_cast<int64_t>(rank),
                             sharding.tiles.dims.end(), int64_t{1}, std::multiplies<>());
  return t;
}

}  // namespace

std::string visualise(const NamedSharding& sharding, const std::vector<int64_t>& global) {
  const auto shape = sharding.shard_shape(global);
  CHECK(shape.ok(), shape.ok() ? "" : shape.error().text());
  const HloSharding tiles = HloSharding::from(sharding, global.size());
  const bool split = tiles.kind == HloSharding::Kind::tiled;
  std::string out = draw(split ? tiling_of(tiles, global) : one_tile(global, sharding.mesh().device_count()));
  if (!sharding.unreduced().empty()) {
    out += fmt::format("partial sums along '{}'\n", fmt::join(sharding.unreduced(), "', '"));
  }
  return out;
}

std::string visualise(const HloSharding& sharding, const std::vector<int64_t>& global, int64_t devices) {
  if (sharding.kind == HloSharding::Kind::tiled) return draw(tiling_of(sharding, global));
  TileGrid t = one_tile(global, devices);
  if (sharding.kind == HloSharding::Kind::maximal) {
    t.devices = {sharding.device};
    t.copies = 1;
  }
  std::string out = draw(t);
  if (sharding.kind == HloSharding::Kind::unreduced) out += "partial sums on every device\n";
  return out;
}

}  // namespace shardscope::inline sharding
