// SPDX-License-Identifier: Apache-2.0
// The one door to cmark.
#include "engine/report/page/markdown_html.h"

#include <cmark.h>
#include <cstdlib>
#include <memory>

namespace shardscope {

std::string markdown_html(std::string_view text) {
  // Without CMARK_OPT_UNSAFE it is safe: raw HTML becomes a comment, javascript: links become empty.
  const std::unique_ptr<char, decltype(&std::free)> html(
      cmark_markdown_to_html(text.data(), text.size(), CMARK_OPT_VALIDATE_UTF8), &std::free);
  return html ? html.get() : "";
}

}  // namespace shardscope
