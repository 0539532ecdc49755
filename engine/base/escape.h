// SPDX-License-Identifier: Apache-2.0
// Texts of others (names, titles, notes) as they may stand in what we write: one function a format. HTML and
// SVG have xml_escaped (xml.h), CSV csv_cell (csv.h).
#pragma once

#include <string>
#include <string_view>

namespace shardscope {

// Inline text of CommonMark or a cell of its tables: nothing in it is markup, a link, HTML or a new line.
std::string markdown_escaped(std::string_view text);

// Text of LaTeX with the usual signs as its commands. Ends of lines are blanks.
std::string latex_escaped(std::string_view text);

// JSON between <script> and </script>: the same values without a sign that ends the element or a line.
std::string script_json(std::string_view json);

// Bytes that are no UTF-8 (a half character, a lone surrogate) as \xff, the rest as it is. All here but
// script_json, whose text is UTF-8, and xml.h and csv.h begin with it.
std::string whole_characters(std::string_view text);

// For a terminal: control characters, which could move its cursor or rename its window, and those that turn
// the direction of writing stand as \x1b or \u202e. Ends of lines and tabs stay.
std::string terminal_text(std::string_view text);

}  // namespace shardscope
