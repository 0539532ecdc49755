// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/reshard/rematerialization.h"

#include <fmt/format.h>
#include <optional>

#include "engine/sharding/moves.h"

namespace shardscope::inline partitioner {
namespace {

constexpr int64_t kMostDevices = 256;  // of the search below

// All ways to cut the dimensions from `d` on into at most `devices` tiles, on the devices of `tiling`.
void cuts(Tiling& tiling, size_t d, int64_t devices, std::vector<Tiling>& out) {
  if (d == tiling.rank()) {
    if (tiling.tiles() > 1) out.push_back(tiling);
    return;
  }
  for (int64_t count = 1; count <= devices; ++count) {
    if (devices % count != 0) continue;
    tiling.counts[d] = count;
    cuts(tiling, d + 1, devices / count, out);
  }
  tiling.counts[d] = 1;
}

// A stop on the way that both ends reach without a full copy: the one with the smallest tiles.
std::optional<Tiling> better_stop(const Tiling& from, const Tiling& to, const std::vector<int64_t>& base) {
  if (from.devices() > kMostDevices) return std::nullopt;
  std::vector<Tiling> candidates;
  Tiling cut = from;
  cuts(cut, 0, from.devices(), candidates);
  std::optional<Tiling> best;
  for (const Tiling& stop : candidates) {
    if (best && stop.tiles() <= best->tiles()) continue;
    if (!needs_full_copy(from, stop, base) && !needs_full_copy(stop, to, base)) best = stop;
  }
  return best;
}

}  // namespace

Rematerialization rematerialization(const Resharder::FullCopy& copy, SpmdDialect dialect) {
  Rematerialization out;
  out.instruction = copy.source == nullptr ? "" : copy.source->name;
  out.from = spmd_sharding_text(copy.from.sharding(), dialect);
  out.to = spmd_sharding_text(copy.to.sharding(), dialect);
  const char* what = "Involuntary full rematerialization. The compiler";
  if (dialect == SpmdDialect::tpu2022) {
    out.message = fmt::format(
        "[spmd] {} was not able to go from sharding {} to {} without doing a full "
        "rematerialization of the tensor. You probably want to enrich the sharding annotations",
        what, out.from, out.to);
  } else {
    out.message = fmt::format(
        "[SPMD] {} cannot go from sharding {} to {} efficiently for HLO operation %{}. As the "
        "last resort, SPMD will replicate the tensor and then partition it",
        what, out.from, out.to, out.instruction);
  }
  const auto stop = better_stop(copy.from, copy.to, copy.dims);
  if (stop) out.stop = stop->sharding();
  out.suggestion =
      stop ? fmt::format(
                 "bring it to {} first: both ends reach that by permutes, all-to-alls or parts of a gather",
                 spmd_sharding_text(stop->sharding(), dialect))
           : "cut both ends into counts that divide each other, or shard a dimension that both can keep";
  return out;
}

}  // namespace shardscope::inline partitioner
