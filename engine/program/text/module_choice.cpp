// SPDX-License-Identifier: Apache-2.0
#include "engine/program/text/module_choice.h"

#include <fmt/format.h>
#include <optional>

#include "engine/base/text.h"

namespace shardscope::inline program {

Result<ChosenModule> choose_module(const std::vector<OneModule>& parts, std::string_view wanted,
                                   std::string_view file_name) {
  ChosenModule out;
  bool chosen = false;
  for (const OneModule& part : parts) {
    if (!chosen && (wanted.empty() || part.name == wanted)) {
      chosen = true;
      out.start = part.start;
      out.end = part.end;
    } else {
      out.others.emplace_back(part.name);
    }
  }
  if (chosen) return out;
  return invalid(fmt::format("no module '{}', the file has {}", wanted,
                             out.others.empty() ? "no module with a name" : join(out.others, ", ")),
                 std::string(file_name));
}

}  // namespace shardscope::inline program
