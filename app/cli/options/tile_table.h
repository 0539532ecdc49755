// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/grouped/grouped.h"

namespace shardscope::inline cli {

// Tuned tiles, as a lookup function: a line m,k,n,tm,tk,tn for each problem that somebody tuned; what follows
// a # is a comment. Errors: a file that cannot be read (io), a line that is not that.
Result<TilingLookup> read_tile_table(const std::string& path);

}  // namespace shardscope::inline cli
