// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/dock_names.h"

#include <algorithm>
#include <iterator>

#include "engine/base/check.h"
#include "engine/base/say.h"
#include "views/scene/core/run_views.h"

namespace shardscope::inline window {
namespace {

struct PanelName {
  const char* id;
  const char* title;
};
constexpr PanelName kPanels[] = {
    {"experiment", to_say("Experiment")},
    {"runs", to_say("Runs")},
    {"program", to_say("Program")},
    {"events", to_say("Events")},
    {"details", to_say("Details")},
    {"notes", to_say("Notes")},
    {"tuner", to_say("Tuner")},
    {"crossover", to_say("Crossover")},
    {"calibration", to_say("Calibration")},
    {"what_if", to_say("What if")},
    {"compare", to_say("Compare")},
    {"beside", to_say("Measured")},
    {"profile", to_say("Profile")},
    {"errors", to_say("Error growth")},
    {"atlas", to_say("Atlas")},
    {"sql", "SQL"},
    {"hlo", "HLO"},
    {"kernel", to_say("Kernel")},
    {"lesson", to_say("Lesson")},
    {"grouped", to_say("Grouped matmul")},
};

}  // namespace

std::vector<std::string> dock_ids() {
  std::vector<std::string> ids = view_names();
  for (const PanelName& panel : kPanels) ids.emplace_back(panel.id);
  return ids;
}

const char* panel_title(std::string_view id) {
  const auto* at = std::ranges::find_if(kPanels, [&](const PanelName& panel) { return panel.id == id; });
  CHECK(at != std::end(kPanels), id);
  return at->title;
}

}  // namespace shardscope::inline window
