// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/compare_dock.h"

#include "app/window/document/language.h"

namespace shardscope::inline window {

void compare_best(const Context& c) {
  const auto ranked = rank(comparison_of(c.bench).runs);
  if (ranked.size() < 2 || !ranked[1].ranked || !ranked[0].run->id || !ranked[1].run->id)
    return c.say("There are no two ranked runs yet: Run all makes them."_tr, 6000);
  c.bench.presenter().compare({*ranked[0].run->id, *ranked[1].run->id});
}

ComparePanel* make_compare(const Context& c) {
  Workbench& bench = c.bench;
  auto* panel = new ComparePanel(bench.clock(), &c.window);
  const auto follow = [panel, &bench] {
    const auto& workspace = bench.runs().workspace();
    panel->setWorkspaceFile(workspace ? workspace->path() : "");
  };
  QObject::connect(&bench, &Workbench::runsChanged, panel, follow);
  QObject::connect(&bench, &Workbench::experimentOpened, panel, follow);
  QObject::connect(&bench, &Workbench::saved, panel, follow);
  QObject::connect(panel, &ComparePanel::bestRequested, panel, [c] { compare_best(c); });
  follow();
  return panel;
}

}  // namespace shardscope::inline window
