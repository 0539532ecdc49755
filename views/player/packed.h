// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace shardscope::inline views {

// As a page keeps its data: a zlib stream, in base 64. Same text, same bytes.
std::string packed(const std::string& text);

}  // namespace shardscope::inline views
