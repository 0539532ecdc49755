// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardscope::inline report {

// CommonMark as HTML. HTML in it and links that run something are left out.
std::string markdown_html(std::string_view text);
// Its words alone, on one line: for where a text has no marks.
std::string markdown_words(std::string_view text);
// The same without its blocks of code, and the lines of these.
std::string markdown_prose(std::string_view text);
std::vector<std::string> markdown_code(std::string_view text);

}  // namespace shardscope::inline report
