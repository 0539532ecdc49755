// SPDX-License-Identifier: Apache-2.0
#include "engine/report/page/page_frame.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "engine/base/check.h"
#include "engine/base/embedded_file.h"
#include "engine/base/sha256.h"
#include "engine/base/xml.h"

namespace shardscope::embedded {
std::span<const EmbeddedFile> player_scripts();
std::span<const EmbeddedFile> player_styles();
}  // namespace shardscope::embedded

namespace shardscope::inline report {

namespace {

// All of them, one behind the other, as they stand in the page.
std::string together(std::span<const EmbeddedFile> files) {
  CHECK(!files.empty());
  std::string out;
  for (const EmbeddedFile& file : files) out += file.text;
  return out;
}

const std::string& script() {
  static const std::string kScript = together(embedded::player_scripts());
  return kScript;
}

}  // namespace

std::string page_head(const PageHead& head) {
  const std::string style = together(embedded::player_styles()) + head.style;
  const std::string policy = fmt::format(
      "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; base-uri 'none'; form-action "
      "'none'",
      content_hash(script()), content_hash(style));
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{} – Shardscope</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n<h1>{}</h1>\n",
      policy, xml_escaped(head.title), style, xml_escaped(head.title));
}

std::string page_foot(const std::string& note) {
  return fmt::format("</main>\n<footer>{}Made with Shardscope " SHARDSCOPE_VERSION
                     ".</footer>\n<script>{}</script>\n</body>\n</html>\n",
                     note.empty() ? "" : xml_escaped(note) + " ", script());
}

}  // namespace shardscope::inline report
