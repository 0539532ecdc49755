// SPDX-License-Identifier: Apache-2.0
// The one door to cmark.
#include "engine/report/page/markdown_html.h"

#include <cmark.h>
#include <cstdlib>
#include <memory>

#include "engine/base/text.h"

namespace shardscope {

std::string markdown_html(std::string_view text) {
  // Without CMARK_OPT_UNSAFE it is safe: raw HTML becomes a comment, javascript: links become empty.
  const std::unique_ptr<char, decltype(&std::free)> html(
      cmark_markdown_to_html(text.data(), text.size(), CMARK_OPT_VALIDATE_UTF8), &std::free);
  return html ? html.get() : "";
}

std::string markdown_words(std::string_view text) {
  const std::unique_ptr<cmark_node, decltype(&cmark_node_free)> document(
      cmark_parse_document(text.data(), text.size(), CMARK_OPT_VALIDATE_UTF8), &cmark_node_free);
  const std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)> walk(cmark_iter_new(document.get()),
                                                                     &cmark_iter_free);
  std::string out;
  while (cmark_iter_next(walk.get()) != CMARK_EVENT_DONE) {
    cmark_node* node = cmark_iter_get_node(walk.get());
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE || type == CMARK_NODE_CODE_BLOCK) {
      out += cmark_node_get_literal(node);
    } else if (!out.empty() && out.back() != ' ' &&
               (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK ||
                type == CMARK_NODE_PARAGRAPH || type == CMARK_NODE_HEADING)) {
      out += ' ';
    }
  }
  return std::string(trim(out));
}

}  // namespace shardscope
