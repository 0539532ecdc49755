// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shardscope::inline report {

// Text for a screen of so many columns: a table that is wider goes on below itself, its first column again in
// front; a line whose last part alone is too long, and prose, go on in lines that are indented. Text that
// fits is as it was.
std::string fit_width(std::string_view text, size_t columns);

}  // namespace shardscope::inline report
