// SPDX-License-Identifier: Apache-2.0
#include "views/draw/gui/imgui_draw.h"

#include <algorithm>
#include <cmath>
#include <imgui.h>
#include <vector>

#include "views/scene/core/pattern.h"

namespace shardscope::inline views {
namespace {

ImU32 packed(Color c) {
  return IM_COL32(c.r, c.g, c.b, c.a);
}

// Draws items in device pixels; rectangles snap to whole pixels so that thin bars keep their width.
class SceneDrawer {
 public:
  SceneDrawer(const FontAtlas& fonts, float scale, ImDrawList& list)
      : fonts_(fonts), scale_(scale), list_(list) {}

  void rect(const RectItem& item) {
    const ImVec2 low = snapped(item.rect.x, item.rect.y);
    ImVec2 high = snapped(item.rect.right(), item.rect.bottom());
    if (item.rect.w > 0) high.x = std::max(high.x, low.x + 1);  // what has an extent stays visible
    if (item.rect.h > 0) high.y = std::max(high.y, low.y + 1);
    const float radius = item.radius * scale_;
    if (item.fill.a > 0) list_.AddRectFilled(low, high, packed(item.fill), radius);
    if (item.pattern != Pattern::none && item.pattern_color.a > 0) pattern(item);
    if (item.border.a > 0 && item.border_width > 0) {
      const float width = std::max(1.0F, std::round(item.border_width * scale_));
      border(low, high, packed(item.border), radius, width);
    }
  }

  void line(const LineItem& item) {
    if (item.points.size() < 2) return;
    const float width = std::max(1.0F, item.width * scale_);
    points_.clear();
    for (const Point p : item.points) {
      const ImVec2 at(p.x * scale_, p.y * scale_);
      // ImGui's joints spread out where two points almost coincide.
      if (points_.size() > 1 && std::hypot(at.x - points_.back().x, at.y - points_.back().y) < 0.5F) continue;
      points_.push_back(at);
    }
    if (points_.size() < 2) return;
    if (item.dashed) {
      dashes(packed(item.color), width);
    } else if (is_upright()) {
      upright(packed(item.color), width);
    } else {
      list_.AddPolyline(points_.data(), static_cast<int>(points_.size()), packed(item.color), 0, width);
    }
    if (item.arrow) arrow_head(packed(item.color), width);
  }

  void circle(const CircleItem& item) {
    const ImVec2 center(item.center.x * scale_, item.center.y * scale_);
    const float radius = item.radius * scale_;
    if (item.fill.a > 0) list_.AddCircleFilled(center, radius, packed(item.fill));
    if (item.border.a > 0 && item.border_width > 0) {
      list_.AddCircle(center, radius, packed(item.border), 0, item.border_width * scale_);
    }
  }

  void text(const TextItem& item) {
    if (item.text.empty()) return;
    ImFont* font = fonts_.find(item, scale_);
    const char* begin = item.text.data();
    const char* end = begin + item.text.size();
    const ImVec2 size = font->CalcTextSizeA(font->FontSize, FLT_MAX, 0, begin, end);
    const float shift = item.align == Align::left ? 0 : item.align == Align::center ? size.x / 2 : size.x;
    const ImVec2 at(std::round(item.at.x * scale_ - shift), std::round(item.at.y * scale_ - size.y / 2));
    list_.AddText(font, font->FontSize, at, packed(item.color), begin, end);
  }

  void clip(const ClipItem& item) {
    if (item.rect.w < 0) {
      if (clips_ > 0) list_.PopClipRect();
      clips_ = std::max(0, clips_ - 1);
      return;
    }
    list_.PushClipRect(snapped(item.rect.x, item.rect.y), snapped(item.rect.right(), item.rect.bottom()),
                       true);
    ++clips_;
  }

  void finish() {
    for (; clips_ > 0; --clips_) list_.PopClipRect();
  }

 private:
  ImVec2 snapped(float x, float y) const { return {std::round(x * scale_), std::round(y * scale_)}; }
  bool is_upright() const {
    for (size_t i = 0; i + 1 < points_.size(); ++i) {
      if (points_[i].x != points_[i + 1].x && points_[i].y != points_[i + 1].y) return false;
    }
    return true;
  }

  // Axis-parallel lines as rectangles on whole pixels: sharp, and corners are full.
  void upright(ImU32 color, float width) {
    const float w = std::max(1.0F, std::round(width));
    const float before = std::floor(w / 2);
    for (size_t i = 0; i + 1 < points_.size(); ++i) {
      const ImVec2 a = points_[i];
      const ImVec2 b = points_[i + 1];
      const ImVec2 low(std::floor(std::min(a.x, b.x)) - before, std::floor(std::min(a.y, b.y)) - before);
      const ImVec2 high(std::floor(std::max(a.x, b.x)) - before + w,
                        std::floor(std::max(a.y, b.y)) - before + w);
      list_.AddRectFilled(low, high, color);
    }
  }

  void border(ImVec2 low, ImVec2 high, ImU32 color, float radius, float width) {
    if (radius > 0) {
      const float half = width / 2;
      list_.AddRect({low.x + half, low.y + half}, {high.x - half, high.y - half}, color, radius, 0, width);
      return;
    }
    list_.AddRectFilled(low, {high.x, low.y + width}, color);
    list_.AddRectFilled({low.x, high.y - width}, high, color);
    list_.AddRectFilled({low.x, low.y + width}, {low.x + width, high.y - width}, color);
    list_.AddRectFilled({high.x - width, low.y + width}, {high.x, high.y - width}, color);
  }

  void pattern(const RectItem& item) {
    const ImU32 color = packed(item.pattern_color);
    const PatternMarks marks = pattern_marks(item);
    const float width = std::max(1.0F, scale_);
    for (const auto& [from, to] : marks.lines) {
      list_.AddLine({from.x * scale_, from.y * scale_}, {to.x * scale_, to.y * scale_}, color, width);
    }
    const float dot = std::max(2.0F, std::round(2 * scale_));
    for (const Point p : marks.dots) {
      const ImVec2 at(std::round(p.x * scale_ - dot / 2), std::round(p.y * scale_ - dot / 2));
      list_.AddRectFilled(at, {at.x + dot, at.y + dot}, color);
    }
  }

  void dashes(ImU32 color, float width) {
    const float dash = 4 * scale_;
    const float gap = 3 * scale_;
    float left = dash;
    bool on = true;
    for (size_t i = 0; i + 1 < points_.size(); ++i) {
      ImVec2 from = points_[i];
      const ImVec2 to = points_[i + 1];
      float length = std::hypot(to.x - from.x, to.y - from.y);
      while (length > 0) {
        const float part = std::min(left, length);
        const ImVec2 next(from.x + (to.x - from.x) * part / length, from.y + (to.y - from.y) * part / length);
        if (on) list_.AddLine(from, next, color, width);
        from = next;
        length -= part;
        left -= part;
        if (left <= 0) {
          on = !on;
          left = on ? dash : gap;
        }
      }
    }
  }

  void arrow_head(ImU32 color, float width) {
    const ImVec2 tip = points_.back();
    const ImVec2 from = points_[points_.size() - 2];
    const float length = std::hypot(tip.x - from.x, tip.y - from.y);
    if (length < 1e-3F) return;
    const float ux = (tip.x - from.x) / length;
    const float uy = (tip.y - from.y) / length;
    const float size = std::max(6 * scale_, 2.5F * width);
    const ImVec2 base(tip.x - ux * size, tip.y - uy * size);
    const float half = size * 0.5F;
    // ImGui wants clockwise corners for anti-aliased fills.
    list_.AddTriangleFilled(tip, {base.x - uy * half, base.y + ux * half},
                            {base.x + uy * half, base.y - ux * half}, color);
  }

  const FontAtlas& fonts_;
  float scale_;
  ImDrawList& list_;
  std::vector<ImVec2> points_;
  int clips_ = 0;
};

}  // namespace

void draw(const Scene& scene, const FontAtlas& fonts, double scale, ImDrawList& list) {
  SceneDrawer drawer(fonts, static_cast<float>(scale), list);
  for (const DrawRef ref : scene.order()) {
    const auto i = static_cast<size_t>(ref.index);
    switch (ref.kind) {
      case DrawRef::Kind::rect:
        drawer.rect(scene.rects()[i]);
        break;
      case DrawRef::Kind::line:
        drawer.line(scene.lines()[i]);
        break;
      case DrawRef::Kind::circle:
        drawer.circle(scene.circles()[i]);
        break;
      case DrawRef::Kind::text:
        drawer.text(scene.texts()[i]);
        break;
      case DrawRef::Kind::clip:
        drawer.clip(scene.clips()[i]);
        break;
    }
  }
  drawer.finish();
}

ImGuiFrame::ImGuiFrame() : fonts_(FontAtlas::shared()) {
  ImGuiContext* previous = ImGui::GetCurrentContext();
  context_ = ImGui::CreateContext(fonts_->atlas());
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
  if (previous != nullptr) ImGui::SetCurrentContext(previous);
}

ImGuiFrame::~ImGuiFrame() {
  ImGui::DestroyContext(context_);
}

void ImGuiFrame::make_current() {
  ImGui::SetCurrentContext(context_);
}

ImDrawData* ImGuiFrame::draw(const Scene& scene, int width, int height, double scale) {
  make_current();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
  io.DeltaTime = 1.0F / 60;
  ImGui::NewFrame();
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  const Color b = scene.background;
  list->AddRectFilled({0, 0}, io.DisplaySize, IM_COL32(b.r, b.g, b.b, 255));
  shardscope::draw(scene, *fonts_, scale, *list);
  ImGui::Render();
  return ImGui::GetDrawData();
}

}  // namespace shardscope::inline views
