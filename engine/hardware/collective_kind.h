// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope::inline hardware {

// reduce: an all-reduce of which only rank 0 uses the sum. broadcast: rank 0 is the source.
enum class CollectiveKind { all_gather, reduce_scatter, all_reduce, all_to_all, broadcast, reduce, permute };
const char* name(
    CollectiveKind kind);  // HLO's opcode text; "reduce" for an all-reduce that only its root uses
std::optional<CollectiveKind> collective_kind(std::string_view text);  // as `name` prints it
std::vector<std::string> collective_kind_names();

}  // namespace shardscope::inline hardware
