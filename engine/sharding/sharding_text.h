// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace shardscope {

// Whether the text is the sharding of a tuple, HloSharding::parse_tuple's: braces within braces, or nothing.
bool is_tuple_sharding(std::string_view text);

}  // namespace shardscope
