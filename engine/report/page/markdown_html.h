// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace shardscope {

// CommonMark as HTML. HTML in it and links that run something are left out.
std::string markdown_html(std::string_view text);
// Its words alone, on one line: for where a text has no marks.
std::string markdown_words(std::string_view text);

}  // namespace shardscope
