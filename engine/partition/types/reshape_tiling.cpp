// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/types/reshape_tiling.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace shardscope::inline partitioner {
namespace {

// Neighbouring dimensions of both shapes with the same product of sizes; no smaller run has one.
struct Run {
  size_t from, from_end, to, to_end;
};

std::vector<Run> runs_of(const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  std::vector<Run> runs;
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    Run run{i, i, j, j};
    int64_t a = 1, b = 1;
    do {
      if (a <= b && run.from_end < from.size())
        a *= from[run.from_end++];
      else if (run.to_end < to.size())
        b *= to[run.to_end++];
      else if (run.from_end < from.size())
        a *= from[run.from_end++];
      else
        break;
    } while (a != b || (run.to_end == j && run.to_end < to.size()) ||
             (run.from_end == i && run.from_end < from.size()));
    i = run.from_end;
    j = run.to_end;
    runs.push_back(run);
  }
  return runs;
}

// The cuts of a run of dimensions as cuts of another run of the same elements: a tile is one interval of the
// flattened run when only its first dimensions are cut, all but the last of them fully.
bool carry(const std::vector<int64_t>& sizes, const std::vector<int64_t>& counts,
           const std::vector<int64_t>& to, std::vector<int64_t>& out) {
  int64_t tiles = 1;
  bool open = true;  // all before is cut into single elements
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (counts[d] > 1 && (!open || sizes[d] % counts[d] != 0)) return false;
    tiles *= counts[d];
    open = open && counts[d] == sizes[d];
  }
  for (size_t d = 0; d < to.size(); ++d) {
    if (tiles == 1) {
      out[d] = 1;
    } else if (to[d] % tiles == 0) {
      out[d] = tiles;
      tiles = 1;
    } else if (tiles % to[d] == 0) {
      out[d] = to[d];
      tiles /= to[d];
    } else {
      return false;
    }
  }
  return tiles == 1;
}

// The one dimension of more than one element, where that is the only one; none of other sizes is cut.
std::optional<size_t> only_long(const std::vector<int64_t>& sizes, const std::vector<int64_t>& counts) {
  std::optional<size_t> out;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1 && (counts.empty() || counts[d] == 1)) continue;
    if (out) return std::nullopt;
    out = d;
  }
  return out;
}

int64_t flat_of(std::span<const int64_t> place, const std::vector<int64_t>& counts, size_t begin,
                size_t end) {
  int64_t flat = 0;
  for (size_t d = begin; d < end; ++d) flat = flat * counts[d] + place[d];
  return flat;
}

}  // namespace

ReshapedTiling through_reshape(const Tiling& tiling, const std::vector<int64_t>& from,
                               const std::vector<int64_t>& to) {
  ReshapedTiling out{tiling, Tiling::replicated(to.size(), tiling.devices()), true};
  const std::vector<Run> runs = runs_of(from, to);
  std::vector<int64_t> stuck;
  for (const Run& run : runs) {
    const auto part = [](const std::vector<int64_t>& all, size_t begin, size_t end) {
      return std::vector<int64_t>(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                  all.begin() + static_cast<std::ptrdiff_t>(end));
    };
    const auto sizes = part(from, run.from, run.from_end), into = part(to, run.to, run.to_end);
    const auto counts = part(tiling.counts, run.from, run.from_end);
    std::vector<int64_t> cut(into.size(), 1);
    // A run of one dimension on both sides, beside those of one element, keeps whatever cut it has, even or
    // not.
    const auto before = only_long(sizes, counts), after = only_long(into, {});
    const bool same = before && after && sizes[*before] == into[*after];
    if (same) cut[*after] = counts[*before];
    if (!same && !carry(sizes, counts, into, cut)) {
      for (size_t d = run.from; d < run.from_end; ++d)
        if (tiling.counts[d] > 1) stuck.push_back(static_cast<int64_t>(d));
      continue;
    }
    std::copy(cut.begin(), cut.end(), out.to.counts.begin() + static_cast<std::ptrdiff_t>(run.to));
  }
  if (!stuck.empty()) {
    out.complete = false;
    out.from = tiling.merged(stuck);
  }
  // Devices stand where their interval of each run is.
  const auto place = out.from.coordinates();
  std::vector<int64_t> flat(place.size(), 0);
  for (size_t device = 0; device < place.size(); ++device) {
    for (const Run& run : runs) {
      int64_t tiles = 1;
      for (size_t d = run.from; d < run.from_end; ++d) tiles *= out.from.counts[d];
      flat[device] = flat[device] * tiles + flat_of(place[device], out.from.counts, run.from, run.from_end);
    }
  }
  out.to.order = out.from.order;
  std::ranges::stable_sort(out.to.order.edit(), {},
                           [&](int64_t device) { return flat[static_cast<size_t>(device)]; });
  return out;
}

}  // namespace shardscope::inline partitioner
