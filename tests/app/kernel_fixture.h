// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "app/window/chip/kernel_panel.h"
#include "tests/app/window_fixture.h"

namespace shardscope {

// A window on a kernel that is broken.
class KernelPanelTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    window->resize(1600, 1000);
    ASSERT_NE(window->showPanel("kernel").widget, nullptr);
    choose("ag.ring.one_semaphore", "4");
  }
  KernelPanel& panel() { return *window->kernel(); }
  KernelPlayer& player() { return panel().player(); }
  void loaded() {
    ASSERT_TRUE(wait_for([&] { return !panel().busy(); }));
    settle();
  }
  void choose(const std::string& kernel, const QString& mesh) {
    KernelChoice choice = panel().form()->choice();
    choice.kernel = kernel;
    choice.options = {};
    choice.options.mesh = *parse_kernel_mesh(mesh, *kernels::find_kernel(kernel));
    choice.seed = 0;
    choice.policy.reset();
    panel().open(choice);
    loaded();
    ASSERT_TRUE(player().shown());
    ASSERT_EQ(player().shown()->choice.kernel, kernel);
  }
  void search() {
    panel().tabs()->findings()->search();
    ASSERT_TRUE(wait_for([&] { return !panel().tabs()->findings()->job()->busy(); }));
    loaded();
  }
  bool says(const CanvasView& canvas, const std::string& part) {
    const Scene scene = canvas.sceneAt({1400, 800, light_theme(), {}});  // with room for every word
    return std::ranges::any_of(scene.texts(),
                               [&](const TextItem& t) { return t.text.find(part) != std::string::npos; });
  }
};

}  // namespace shardscope
