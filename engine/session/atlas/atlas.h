// SPDX-License-Identifier: Apache-2.0
// Every sharding of one product's three arrays: what XLA's partitioner moves, what Shardy's, and what is
// fastest.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "engine/base/parallel.h"
#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/study/atlas.h"

namespace shardscope::inline session {

struct AtlasQuestion {
  Mesh mesh;
  int64_t m = 0, k = 0, n = 0;
  ElementType type = ElementType::f32;
  Hardware hardware;
};

// That each array may have: each axis splits one of two dimensions or none, axes of one dimension stand in
// the mesh's order. Errors: more than three axes.
Result<std::vector<AxisSplit>> atlas_splits(const Mesh& mesh);

ProductCase product_case(const AxisSplit& lhs, const AxisSplit& rhs);

// `progress`: which part of all triples is done; may be empty. Errors: more than three axes, a type without
// products, sizes that are too large or that the axes do not divide, a chip that does not say what the times
// need, cancelled.
Result<Atlas> make_atlas(const AtlasQuestion& question, const Workers& workers, std::stop_token stop,
                         const std::function<void(double)>& progress = {});

// The module of a triple as JAX writes it, in StableHLO, to be opened and partitioned.
std::string atlas_module(const AtlasQuestion& question, const AxisSplit& lhs, const AxisSplit& rhs,
                         const AxisSplit& result);

}  // namespace shardscope::inline session
