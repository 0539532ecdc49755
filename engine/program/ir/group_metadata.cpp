// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/group_metadata.h"

#include <algorithm>
#include <numeric>

#include "engine/base/check.h"
#include "engine/base/text.h"
#include "engine/base/units.h"

namespace shardscope::inline program {

namespace {

constexpr int64_t kMaxGroups = int64_t{1} << 20;
constexpr int64_t kMaxTiles = int64_t{1} << 26;

std::string number(int64_t value) {
  return std::to_string(value);
}

// The largest divisor of m that is at most tm.
int64_t fitting_tile(int64_t m, int64_t tm) {
  int64_t best = 1;
  for (int64_t d = 1; d <= m / d; ++d) {
    if (m % d != 0) continue;
    if (d <= tm) best = std::max(best, d);
    if (m / d <= tm) best = std::max(best, m / d);
  }
  return best;
}

Result<void> check_sizes(const GroupedRows& in) {
  if (in.group_sizes.empty()) return invalid("expected the size of at least one group", "group_sizes");
  if (static_cast<int64_t>(in.group_sizes.size()) > kMaxGroups)
    return too_big("expected at most " + number(kMaxGroups) + " groups, got " +
                       number(static_cast<int64_t>(in.group_sizes.size())),
                   "group_sizes");
  int64_t sum = 0;
  for (size_t g = 0; g < in.group_sizes.size(); ++g) {
    const int64_t size = in.group_sizes[g];
    if (size < 0 || size > INT32_MAX)
      return invalid("expected 32-bit integers of 0 or more in 'group_sizes' but got " + number(size) +
                         " for group " + std::to_string(g),
                     "group_sizes");
    sum += size;
  }
  if (sum > in.m) {
    return invalid("the group sizes sum to " + number(sum) + ", expected m = " + number(in.m), "group_sizes",
                   "take " + number(sum - in.m) + " rows from them");
  }
  if (sum < in.m && !in.allow_short) {
    return invalid("the group sizes sum to " + number(sum) + ", expected m = " + number(in.m), "group_sizes",
                   "rows " + number(sum) + " to " + number(in.m - 1) +
                       " would never be written; pad the last group, or allow it with --allow-short");
  }
  return {};
}

Result<void> check_rows(const GroupedRows& in) {
  if (in.m < 1 || in.m > INT32_MAX)
    return invalid("expected m from 1 to " + number(INT32_MAX) + ", got " + number(in.m), "m");
  if (in.tm < 1) return invalid("expected a tile of 1 row or more, got " + number(in.tm), "tile of m");
  if (in.m % in.tm != 0) {
    return invalid(number(in.m) + " must be divisible by x-dimension tile size (" + number(in.tm) + ")",
                   "tile of m",
                   "the largest tile below it that divides m is " + number(fitting_tile(in.m, in.tm)));
  }
  if (in.m / in.tm > kMaxTiles) {
    return too_big("expected at most " + number(kMaxTiles) + " tiles of rows, got " + number(in.m / in.tm),
                   "tile of m", "use a larger tile");
  }
  TRY_VOID(check_sizes(in));
  const int64_t groups = static_cast<int64_t>(in.group_sizes.size());
  if (in.group_offset < 0 || in.group_offset >= groups) {
    return invalid(
        "expected a first group from 0 to " + number(groups - 1) + ", got " + number(in.group_offset),
        "group_offset");
  }
  const int64_t left = groups - in.group_offset;
  if (in.local_groups && (*in.local_groups < 1 || *in.local_groups > left)) {
    return invalid("expected 1 to " + number(left) + " groups from group " + number(in.group_offset) +
                       " on, got " + number(*in.local_groups),
                   "local_groups");
  }
  return {};
}

// Index i repeated counts[i] times, cut to `length`, padded with the last index.
std::vector<int64_t> repeated(const std::vector<int64_t>& counts, int64_t length) {
  std::vector<int64_t> out;
  out.reserve(static_cast<size_t>(length));
  for (size_t i = 0; i < counts.size(); ++i) {
    const int64_t room = length - static_cast<int64_t>(out.size());
    out.insert(out.end(), static_cast<size_t>(std::min(counts[i], room)), static_cast<int64_t>(i));
  }
  out.resize(static_cast<size_t>(length), static_cast<int64_t>(counts.size()) - 1);
  return out;
}

}  // namespace

int64_t GroupMetadata::first_row() const {
  return group_offsets[static_cast<size_t>(group_offset)];
}

int64_t GroupMetadata::last_row() const {
  return group_offsets[static_cast<size_t>(group_offset + local_groups)];
}

std::optional<double> GroupMetadata::efficiency() const {
  if (multiplied_tiles == 0) return std::nullopt;
  return static_cast<double>(rows()) / static_cast<double>(multiplied_tiles * tm);
}

TileVisit GroupMetadata::visit(int64_t step) const {
  CHECK(step >= 0 && step < num_tiles, step, num_tiles);
  TileVisit out;
  out.step = step;
  out.m_tile = m_tile_ids[static_cast<size_t>(step)];
  out.group = group_ids[static_cast<size_t>(step)];
  const size_t g = static_cast<size_t>(out.group);
  out.row_start = std::max(group_offsets[g], out.m_tile * tm);
  out.row_stop = std::max(out.row_start, std::min(group_offsets[g + 1], (out.m_tile + 1) * tm));
  return out;
}

std::vector<TileVisit> GroupMetadata::visits() const {
  std::vector<TileVisit> out;
  out.reserve(static_cast<size_t>(num_tiles));
  for (int64_t step = 0; step < num_tiles; ++step) out.push_back(visit(step));
  return out;
}

Result<GroupMetadata> make_group_metadata(const GroupedRows& in) {
  TRY_VOID(check_rows(in));
  const size_t groups = in.group_sizes.size();
  GroupMetadata out;
  out.m = in.m;
  out.tm = in.tm;
  out.tiles_m = in.m / in.tm;
  out.group_offset = in.group_offset;
  out.local_groups = in.local_groups.value_or(static_cast<int64_t>(groups) - in.group_offset);
  out.group_offsets.assign(groups + 1, 0);
  std::partial_sum(in.group_sizes.begin(), in.group_sizes.end(), out.group_offsets.begin() + 1);
  out.group_tiles.assign(groups, 0);
  out.tile_visits.assign(static_cast<size_t>(out.tiles_m), 1);
  for (size_t g = 0; g < groups; ++g) {
    const int64_t start = out.group_offsets[g], stop = out.group_offsets[g + 1];
    const bool empty = start == stop;
    if (!empty) out.group_tiles[g] = ceil_div(stop, in.tm) - start / in.tm;
    if (empty && in.visit_empty) out.group_tiles[g] = 1;
    // A tile is visited once anyway; a group that starts inside one, or is visited though empty, adds a
    // visit.
    const bool adds = empty ? in.visit_empty : start % in.tm != 0;
    if (adds && start / in.tm < out.tiles_m) ++out.tile_visits[static_cast<size_t>(start / in.tm)];
  }
  const int64_t length = out.tiles_m + static_cast<int64_t>(groups) - 1;
  out.group_ids = repeated(out.group_tiles, length);
  out.m_tile_ids = repeated(out.tile_visits, length);
  const auto first =
      std::lower_bound(out.group_ids.begin(), out.group_ids.end(), in.group_offset) - out.group_ids.begin();
  std::rotate(out.group_ids.begin(), out.group_ids.begin() + first, out.group_ids.end());
  std::rotate(out.m_tile_ids.begin(), out.m_tile_ids.begin() + first, out.m_tile_ids.end());
  out.skips_empty = in.skip_empty;
  for (int64_t g = out.group_offset; g < out.group_offset + out.local_groups; ++g) {
    const int64_t visits = out.group_tiles[static_cast<size_t>(g)];
    out.num_tiles += visits;
    if (!in.skip_empty || in.group_sizes[static_cast<size_t>(g)] > 0) out.multiplied_tiles += visits;
  }
  return out;
}

Result<std::vector<int64_t>> parse_group_sizes(std::string_view text) {
  std::vector<int64_t> out;
  for (const std::string& part : split(trim(text), ',')) {
    const auto size = parse_int(trim(part));
    if (!size) {
      return invalid("'" + std::string(trim(part)) + "' is not a group size, expected a whole number",
                     "group_sizes", "write them as in 3,6,7");
    }
    out.push_back(*size);
  }
  return out;
}

}  // namespace shardscope::inline program
