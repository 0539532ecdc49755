// SPDX-License-Identifier: Apache-2.0
// Shardings in Shardy's words: "#sdy.sharding<@mesh, [{"x"}, {}]>".
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/sharding/partition_spec.h"

namespace shardscope::inline sharding {

// With its "#sdy.sharding" or from "<@" on; closed and open dimensions. Errors say the column; parts of an
// axis and priorities have no PartitionSpec.
Result<PartitionSpec> parse_sdy_sharding(std::string_view text);
// Of an array of `rank` dimensions, all of them closed.
std::string sdy_sharding_text(const PartitionSpec& spec, size_t rank, std::string_view mesh);

}  // namespace shardscope::inline sharding
