// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/report_options.h"

namespace shardscope::inline cli {

void AudienceOption::add_to(CLI::App& command) {
  std::vector<std::string> names;
  for (const Audience audience : kAudiences) names.emplace_back(name(audience));
  command
      .add_option("--audience", asked,
                  "For whom the report is: class (what was multiplied, who wins and why, what happens), or "
                  "engineer (operations, links, memory and the chip's numbers as well)")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
}

Audience AudienceOption::audience() const {
  return *parse_audience(asked);
}

void AudienceOption::type_into(std::vector<std::string>& words) const {
  if (audience() != Audience::engineer) words.insert(words.end(), {"--audience", asked});
}

}  // namespace shardscope::inline cli
