// SPDX-License-Identifier: Apache-2.0
// Sets of whole numbers as half-open ranges, and of elements as disjoint boxes.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/sharding/named_sharding.h"

namespace shardscope::inline story {

using IndexRanges = std::vector<IndexRange>;  // ascending, apart from each other

int64_t count_of(const IndexRanges& set);
IndexRanges united(const IndexRanges& a, const IndexRanges& b);
IndexRanges common(const IndexRanges& a, const IndexRanges& b);
IndexRanges without(const IndexRanges& a, const IndexRanges& b);
bool contains(const IndexRanges& whole, const IndexRanges& part);

int64_t elements_of(const IndexBox& box);
int64_t elements_of(const std::vector<IndexBox>& boxes);
// Whether every element of `part` is in `whole`.
bool contains_boxes(const std::vector<IndexBox>& whole, const std::vector<IndexBox>& part);

}  // namespace shardscope::inline story
