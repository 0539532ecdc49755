// SPDX-License-Identifier: Apache-2.0
#include "engine/request/command_line.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/request/fields.h"

namespace shardscope::inline request {
namespace {

// What the run has of its own, else what the experiment says.
std::string value_words(const Field& field, const Request& request) {
  std::string own = field.run ? field.run->print(request.asked) : "";
  if (!own.empty() || !field.experiment) return own;
  Experiment resolved = request.experiment;
  if (request.asked.problem) resolved.problem = *request.asked.problem;
  if (request.asked.mesh) resolved.mesh = *request.asked.mesh, resolved.chip_wraps = request.asked.chip_wraps;
  return field.experiment->print(resolved);
}

std::string shell_quoted(const std::string& word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_=.,/:+@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string run_command(const Request& request) {
  return "shardscope " + shell_line(run_words(request));
}

std::vector<std::string> run_words(const Request& request) {
  std::vector<std::string> out{"run", "--strategy", request.strategy};
  for (const Field& field : fields()) {
    if (!field.has(kOption) || !(field.experiment || field.run)) continue;
    const std::string text = value_words(field, request);
    if (!text.empty() && text != default_text(field)) out.insert(out.end(), {"--" + field.key, text});
  }
  return out;
}

std::string shell_line(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(shell_quoted(word));
  return join(quoted, " ");
}

}  // namespace shardscope::inline request
