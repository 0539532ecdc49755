// SPDX-License-Identifier: Apache-2.0
// The one door to cmark.
#include "engine/report/page/markdown_html.h"

#include <cmark.h>
#include <cstdlib>
#include <memory>

#include "engine/base/text.h"

namespace shardscope::inline report {

std::string markdown_html(std::string_view text) {
  // Without CMARK_OPT_UNSAFE it is safe: raw HTML becomes a comment, javascript: links become empty.
  const std::unique_ptr<char, decltype(&std::free)> html(
      cmark_markdown_to_html(text.data(), text.size(), CMARK_OPT_VALIDATE_UTF8), &std::free);
  return html ? html.get() : "";
}

namespace {

template <typename See>
void walk_markdown(std::string_view text, See see) {
  const std::unique_ptr<cmark_node, decltype(&cmark_node_free)> document(
      cmark_parse_document(text.data(), text.size(), CMARK_OPT_VALIDATE_UTF8), &cmark_node_free);
  const std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)> walk(cmark_iter_new(document.get()),
                                                                     &cmark_iter_free);
  while (cmark_iter_next(walk.get()) != CMARK_EVENT_DONE) see(cmark_iter_get_node(walk.get()));
}

std::string words_of(std::string_view text, bool code) {
  std::string out;
  walk_markdown(text, [&](cmark_node* node) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE || (code && type == CMARK_NODE_CODE_BLOCK)) {
      out += cmark_node_get_literal(node);
    } else if (type == CMARK_NODE_CODE_BLOCK) {
      // What it leads to stands elsewhere.
      while (out.ends_with(' ')) out.pop_back();
      if (out.ends_with(':')) out.back() = '.';
      if (!out.empty()) out += ' ';
    } else if (!out.empty() && out.back() != ' ' &&
               (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK ||
                type == CMARK_NODE_PARAGRAPH || type == CMARK_NODE_HEADING)) {
      out += ' ';
    }
  });
  return std::string(trim(out));
}

}  // namespace

std::string markdown_words(std::string_view text) {
  return words_of(text, true);
}

std::string markdown_prose(std::string_view text) {
  return words_of(text, false);
}

std::vector<std::string> markdown_code(std::string_view text) {
  std::vector<std::string> out;
  walk_markdown(text, [&](cmark_node* node) {
    if (cmark_node_get_type(node) != CMARK_NODE_CODE_BLOCK) return;
    std::string block = cmark_node_get_literal(node);
    if (block.ends_with('\n')) block.pop_back();
    if (!out.empty()) out.emplace_back();
    for (std::string& line : split(block, '\n')) out.push_back(std::move(line));
  });
  return out;
}

}  // namespace shardscope::inline report
