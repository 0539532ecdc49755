// SPDX-License-Identifier: Apache-2.0
// Scene -> ImDrawList, in device pixels.
#pragma once

#include <memory>

#include "views/draw/gui/imgui_fonts.h"
#include "views/scene/core/scene.h"

struct ImDrawData;
struct ImDrawList;
struct ImGuiContext;

namespace shardscope::inline views {

// Appends `scene`, one logical pixel being `scale` device pixels. fonts.prepare(scene, scale) came before.
void draw(const Scene& scene, const FontAtlas& fonts, double scale, ImDrawList& list);

// One canvas's ImGui context. Makes a frame of a scene; both hosts then show the same draw data.
class ImGuiFrame {
 public:
  ImGuiFrame();
  ~ImGuiFrame();
  ImGuiFrame(const ImGuiFrame&) = delete;
  ImGuiFrame& operator=(const ImGuiFrame&) = delete;

  void make_current();
  FontAtlas& fonts() { return *fonts_; }
  // Valid until the next call. width and height in device pixels.
  ImDrawData* draw(const Scene& scene, int width, int height, double scale);

 private:
  std::shared_ptr<FontAtlas> fonts_;
  ImGuiContext* context_ = nullptr;
};

}  // namespace shardscope::inline views
