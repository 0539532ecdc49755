// SPDX-License-Identifier: Apache-2.0
#include "engine/run/run_label.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/run/run.h"

namespace shardscope::inline run {

std::vector<std::string> read_tags(std::string_view text) {
  std::string plain(text);
  std::ranges::replace_if(
      plain, [](char c) { return c == ',' || c == ';' || c == '\n' || c == '\t'; }, ' ');
  std::vector<std::string> tags = split(plain, ' ');
  std::erase(tags, "");
  std::ranges::sort(tags);
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  return tags;
}

std::string tag_text(const std::vector<std::string>& tags) {
  return join(tags, ", ");
}

std::string heading_label(const std::string& label, const std::string& name) {
  return label.empty() || name.empty() ? label + name : label + ", " + name;
}

std::string heading_label(const Run& run) {
  return heading_label(run.asked.label, run.given.name);
}

std::string heading_of(const Run& run) {
  const std::string label = heading_label(run);
  return label.empty() ? run.strategy : run.strategy + " (" + label + ")";
}

}  // namespace shardscope::inline run
