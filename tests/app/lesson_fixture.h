// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTemporaryDir>

#include "app/window/docks/lesson_dock.h"
#include "engine/session/lessons/lesson_presets.h"
#include "tests/app/window_fixture.h"

namespace shardscope {

// A window on its page of lessons.
class LessonTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    window->activateWindow();
  }
  LessonPanel& panel() { return lesson_of(window->context()); }
  LessonPlayer& player() { return panel().player(); }
  LessonDocument& document() { return panel().document(); }
  // Until the step is there, with its runs.
  void ready() {
    ASSERT_TRUE(wait_for([&] { return !player().preparing(); }));
    settle(5);
  }
  void play(const QString& name) {
    document().close();  // whatever was open: no question
    const auto opened = open_lesson(window->context(), name);
    ASSERT_TRUE(opened.ok()) << opened.error().text();
    ready();
  }
};

}  // namespace shardscope
