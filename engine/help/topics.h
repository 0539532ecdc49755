// SPDX-License-Identifier: Apache-2.0
// What everything in the window shows and how to read it, in one table. The window's help, F1, the man page
// and what a view says before there is something to show are read from it: whatever is new in the window has
// a row here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardscope::inline help {

struct HelpTopic {
  // Of a dock its id, of a page "page." and its id; others are words: "presenting".
  const char* id;
  const char* title;
  const char* shows;      // a sentence or two: what it is for; plain, an empty view says it too
  const char* reading;    // how to read and use it; paragraphs with a blank line between them, in Markdown
  const char* keys = "";  // the focus whose keys belong to it, an id of the window's table of keys
};

enum class HelpPart { using_it, pages, views, docks };
struct HelpGroup {
  HelpPart part;
  const char* title;
  std::vector<HelpTopic> topics;
};
const std::vector<HelpGroup>& help_groups();       // in the order in which one reads them
const HelpTopic* find_topic(std::string_view id);  // null: there is none
const HelpTopic& help_topic(std::string_view id);  // one of the table's

// Whole pages in Markdown that are read from end to end: "notebook", "From a notebook".
struct HelpPage {
  std::string_view id, title, text;
};
const std::vector<HelpPage>& help_guides();

// A topic or a guide as the section of a man page.
std::string roff_section(const HelpTopic& of);
std::string roff_section(const HelpPage& page);
std::string roff_text(std::string_view text);  // what roff would take for its own is escaped

}  // namespace shardscope::inline help
