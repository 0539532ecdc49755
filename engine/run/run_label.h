// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardscope::inline run {

struct Run;

// What a user says of a run, for tables, headings and filters. It changes nothing of what the run is.
struct RunLabel {
  std::string name;
  std::vector<std::string> tags{};  // words, sorted, each once
  std::string note{};
  std::string origin{};  // of a run that was brought in: "study.shardscope, run 3"; empty: it was made here
  bool operator==(const RunLabel&) const = default;
};

// Words between blanks, commas and semicolons, sorted, each once.
std::vector<std::string> read_tags(std::string_view text);
std::string tag_text(const std::vector<std::string>& tags);  // "paper, slow"; read_tags reads it back

// What headings put in parentheses behind the strategy: its label and its name, "wide panels, baseline".
std::string heading_label(const std::string& label, const std::string& name);
std::string heading_label(const Run& run);
// "wang.os (wide panels, baseline)".
std::string heading_of(const Run& run);

}  // namespace shardscope::inline run
