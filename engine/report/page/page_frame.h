// SPDX-License-Identifier: Apache-2.0
// The frame of our HTML pages: one file, nothing from outside, the player's script and style inside
// (assets/player), and a Content-Security-Policy that allows no others. The page's markup is whole without
// the script, which only adds to what it finds:
//   <figure class="played">  plays (views/player makes it, and the tables that its figures share)
//   <table class="sort">     sorts by a click on a head and is filtered; numbers stand in class="right"
//   <form class="ask">       a question that is judged (app/cli/output/lesson_page)
#pragma once

#include <string>

namespace shardscope::inline report {

struct PageHead {
  std::string title;       // plain text
  std::string style = {};  // CSS of this page alone, beside the one of all pages
};
// Up to <main>, with the title as its heading.
std::string page_head(const PageHead& head);
// From </main> on. `note`: plain text at the foot of the page.
std::string page_foot(const std::string& note);

}  // namespace shardscope::inline report
