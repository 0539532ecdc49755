// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTemporaryDir>

#include "app/window/shell/restore_bar.h"
#include "tests/app/window_fixture.h"

namespace shardscope {

// Windows whose work is kept in a journal of their own: one that goes without being closed can be restored.
class KeptWindowTest : public WindowTest {
 protected:
  std::unique_ptr<TestedWindow> newWindow() {
    auto made = std::make_unique<TestedWindow>(preferences);
    const auto kept = made->keepJournal(folder.path());
    EXPECT_TRUE(kept.ok()) << kept.error().text();
    made->show();
    return made;
  }
  void openSmall() {
    Experiment e = reduced(find_experiment("default").value());
    e.runs = {RunRequest{}, RunRequest{}};
    e.runs[0].strategy = "wang.os";
    e.runs[1].strategy = "collective.os";
    window->bench().openExperiment(e);
    settle();
  }
  bool waitForOffer() {
    return wait_for([&] { return window->restoreBar().offers(); }, 5000);
  }
  void pressRestore() {
    window->restoreBar().restoreButton()->click();
    ASSERT_TRUE(wait_for([&] { return !window->bench().presenter().preparing(); }));
    settle(200);
  }
  QTemporaryDir folder;
};

}  // namespace shardscope
