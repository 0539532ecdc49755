// SPDX-License-Identifier: Apache-2.0
// For whom a report is written: run, sweep and compare ask alike.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "engine/report/document/audience.h"

namespace shardscope::inline cli {

struct AudienceOption {
  std::string asked = name(Audience::engineer);

  void add_to(CLI::App& command);
  Audience audience() const;
  void type_into(std::vector<std::string>& words) const;  // where it is not the default
};

}  // namespace shardscope::inline cli
