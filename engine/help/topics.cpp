// SPDX-License-Identifier: Apache-2.0
#include "engine/help/topics.h"

#include <algorithm>
#include <span>

#include "engine/base/check.h"
#include "engine/base/embedded_file.h"
#include "engine/base/say.h"
#include "engine/help/groups.h"

namespace shardscope::embedded {
std::span<const EmbeddedFile> help_pages();
}  // namespace shardscope::embedded

namespace shardscope::inline help {

namespace {

// "# From a notebook": the first line.
std::string_view heading_of(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  return line.substr(std::min(line.size(), line.find_first_not_of("# ")));
}

std::string_view next_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  return line;
}

// Markdown's marks round words are taken away: a man page has a font of one kind.
std::string without_marks(std::string_view line) {
  std::string out;
  for (const char c : line) {
    if (c != '`' && c != '*') out += c;
  }
  return out;
}

std::string roff_body(std::string_view text) {
  std::string out;
  bool code = false;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (line.starts_with("```")) {
      code = !code;
      out += code ? ".PP\n.nf\n" : ".fi\n";
    } else if (code) {
      out += roff_text(line) + "\n";
    } else if (line.empty()) {
      out += ".PP\n";
    } else if (line.starts_with('#')) {
      out += ".PP\n.B " + roff_text(heading_of(line)) + "\n";
    } else {
      out += roff_text(without_marks(line)) + "\n";
    }
  }
  return out;
}

}  // namespace

const std::vector<HelpGroup>& help_groups() {
  static const std::vector<HelpGroup> kGroups = {
      {HelpPart::using_it, to_say("Using it"), using_topics()},
      {HelpPart::pages, to_say("Pages"), page_topics()},
      {HelpPart::views, to_say("Views of a run"), view_topics()},
      {HelpPart::docks, to_say("Tables, forms and studies"), dock_topics()},
  };
  return kGroups;
}

const HelpTopic* find_topic(std::string_view id) {
  for (const HelpGroup& group : help_groups()) {
    for (const HelpTopic& each : group.topics) {
      if (each.id == id) return &each;
    }
  }
  return nullptr;
}

const HelpTopic& help_topic(std::string_view id) {
  const HelpTopic* found = find_topic(id);
  CHECK(found != nullptr, id);
  return *found;
}

const std::vector<HelpPage>& help_guides() {
  static const std::vector<HelpPage> kGuides = [] {
    std::vector<HelpPage> out;
    for (const EmbeddedFile& file : embedded::help_pages())
      out.push_back({file.name, heading_of(file.text), file.text});
    return out;
  }();
  return kGuides;
}

std::string roff_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '-') out += '\\';
    out += c;
    if (c == '\n') out += ".br\n";
  }
  // A line that starts with a dot or quote would be a request.
  return !out.empty() && (out[0] == '.' || out[0] == '\'') ? "\\&" + out : out;
}

std::string roff_section(const HelpTopic& of) {
  return ".SS " + roff_text(of.title) + "\n" + roff_body(of.shows) + ".PP\n" + roff_body(of.reading);
}

std::string roff_section(const HelpPage& page) {
  return ".SS " + roff_text(page.title) + "\n" + roff_body(page.text.substr(page.text.find('\n') + 1));
}

}  // namespace shardscope::inline help
