// SPDX-License-Identifier: Apache-2.0
#include "engine/grouped/cost.h"

#include "engine/base/units.h"
#include "engine/grouped/tile_product.h"

namespace shardscope::inline grouped {

namespace {

int64_t fetches(const GroupMetadata& meta, const std::vector<int64_t>& ids) {
  return static_cast<int64_t>(same_block_runs(meta, ids).size());
}

GroupedCost common_cost(const GroupedShape& s, const GroupMetadata& meta) {
  GroupedCost out;
  out.flops = 2 * s.m * s.k * s.n;
  const int64_t visited = meta.num_tiles > 0 ? meta.rows() : 0;
  out.flops_exact = 2 * visited * s.k * s.n;
  out.flops_issued = 2 * meta.multiplied_tiles * meta.tm * s.k * s.n;
  const size_t numbers = meta.group_offsets.size() + meta.group_ids.size() + meta.m_tile_ids.size() + 1;
  out.metadata_bytes = byte_size(ElementType::s32, static_cast<int64_t>(numbers));
  return out;
}

void sum_bytes(GroupedCost& cost) {
  cost.bytes_exact = cost.lhs_bytes + cost.rhs_bytes + cost.existing_bytes + cost.out_bytes;
}

}  // namespace

GroupedCost gmm_cost(const GroupedShape& s, const GroupMetadata& meta) {
  GroupedCost out = common_cost(s, meta);
  const int64_t tiles_k = ceil_div(s.k, s.tiling.tk), tiles_n = ceil_div(s.n, s.tiling.tn);
  const int64_t most_steps = static_cast<int64_t>(meta.m_tile_ids.size());
  out.bytes_estimate = byte_size(s.lhs, s.m * s.k) * tiles_n + byte_size(s.rhs, s.k * s.n) * most_steps +
                       byte_size(s.out, s.m * s.n);
  // Grid (tiles_n, num_tiles, tiles_k): with one tile of k a block stays while consecutive steps ask for it.
  const int64_t tiles = fetches(meta, meta.m_tile_ids), groups = fetches(meta, meta.group_ids);
  const bool whole_k = tiles_k == 1;
  const int64_t passes = whole_k && tiles == 1 ? 1 : tiles_n;
  out.lhs_bytes = byte_size(s.lhs, (whole_k ? tiles : meta.num_tiles) * meta.tm * s.k) * passes;
  out.rhs_bytes = byte_size(s.rhs, (whole_k ? groups : meta.num_tiles) * s.k * s.n);
  out.out_bytes = byte_size(s.out, tiles * meta.tm * s.n);
  if (s.existing_out) out.existing_bytes = out.out_bytes;
  sum_bytes(out);
  return out;
}

GroupedCost tgmm_cost(const GroupedShape& s, const GroupMetadata& meta) {
  GroupedCost out = common_cost(s, meta);
  const int64_t tiles_k = ceil_div(s.k, s.tiling.tk), tiles_n = ceil_div(s.n, s.tiling.tn);
  out.bytes_estimate = byte_size(s.lhs, s.m * s.k) * tiles_n + byte_size(s.rhs, s.m * s.n) * tiles_k +
                       byte_size(s.out, meta.local_groups * s.k * s.n);
  // Grid (tiles_n, tiles_k, num_tiles): each pass over the steps fetches the tiles again, unless the last
  // block of one pass is the first of the next.
  const int64_t tiles = fetches(meta, meta.m_tile_ids), groups = fetches(meta, meta.group_ids);
  const int64_t lhs_passes = tiles == 1 && tiles_k == 1 ? 1 : tiles_n;
  const int64_t rhs_passes = tiles == 1 ? 1 : tiles_k;
  out.lhs_bytes = byte_size(s.lhs, tiles * meta.tm * s.k) * lhs_passes;
  out.rhs_bytes = byte_size(s.rhs, tiles * meta.tm * s.n) * rhs_passes;
  out.out_bytes = byte_size(s.out, groups * s.k * s.n);
  if (s.existing_out) out.existing_bytes = out.out_bytes;
  sum_bytes(out);
  return out;
}

}  // namespace shardscope::inline grouped
