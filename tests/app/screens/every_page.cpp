// SPDX-License-Identifier: Apache-2.0
#include "tests/app/screens/every_page.h"

#include "app/window/docks/lesson_dock.h"

namespace shardscope {
namespace {

void work(TestedWindow& window, const std::function<bool()>& ended) {
  ASSERT_TRUE(wait_for([&] {
    return ended() && !window.bench().jobs().running() && !window.bench().presenter().preparing();
  }));
  settle();
}

void show_run_of(TestedWindow& window, const std::string& strategy) {
  for (const RunSummary& row : window.bench().runs().rows()) {
    if (row.strategy == strategy) window.bench().presenter().show(row.id);
  }
  const Clock& clock = window.bench().clock();
  work(window, [&] { return clock.shown() && !clock.shown()->telling; });
  window.bench().clock().setBeat(clock.beatCount() / 2);
}

}  // namespace

void fill(TestedWindow& window) {
  Workbench& bench = window.bench();
  window.docks().setPage("explore");  // wherever an earlier window was left
  ASSERT_TRUE(bench.openPreset("wang_os_8192").ok());
  bench.state().setNumerics(false);
  bench.runAll();
  work(window, [] { return true; });
  show_run_of(window, "wang.os");
  compare_best(window.context());
  work(window, [&] { return bench.clock().comparison() != nullptr; });
  window.showPanel("hlo");
  window.hlo()->openPreset("mlp");
  work(window, [&] { return !window.hlo()->busy() && window.hlo()->explained() != nullptr; });
  ASSERT_TRUE(open_lesson(window.context(), "1_ring").ok());
  work(window, [&] { return !lesson_of(window.context()).player().preparing(); });
}

void visit(TestedWindow& window, const std::function<void(const QString& page, const QString& dock)>& look) {
  for (const Page& page : pages()) {
    window.docks().setPage(page.id);
    settle(5);
    for (const Page::Group& group : page.groups) {
      for (const QString& id : group.docks) {
        window.docks().find(id)->dock->raise();
        settle(2);
        look(page.id, id);
      }
      window.docks().find(group.docks.front())->dock->raise();
    }
  }
}

}  // namespace shardscope
