// SPDX-License-Identifier: Apache-2.0
// Writes into a Scene with the theme's colours and sizes.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "views/scene/core/layouts.h"

namespace shardscope {

struct TextStyle {
  Color color;
  float size = 1;  // times the base size
  Align align = Align::left;
  Face face = Face::sans;
};

class Pen {
 public:
  Pen(Scene& out, const Canvas& canvas_in);

  float px(float at_base) const { return at_base * unit_; }  // a length given at 13 px text
  float text_px(float size = 1) const { return std::max(theme.least_px, theme.base_px * unit_ * size); }
  float width(std::string_view text, float size = 1, Face face = Face::sans) const;

  void text(Point at, std::string text, const TextStyle& style);
  // Only when it fits `box` with a small margin; centred up and down, placed by style.align.
  bool text_in(const Rect& box, const std::string& text, const TextStyle& style);
  // As much of it as fits `width`, with an ellipsis; empty when not even one letter does.
  std::string elided(const std::string& text, float width, float size = 1, Face face = Face::sans) const;
  // The first of several wordings that fits `width`, longest first; empty when none does.
  std::string fitting(const std::vector<std::string>& wordings, float width, float size = 1,
                      Face face = Face::sans) const;
  void rect(const Rect& r, Color fill, int32_t id = -1);
  void outline(const Rect& r, Color color, float width, int32_t id = -1);
  void line(Point a, Point b, Color color, float width = 1, int32_t id = -1);
  void arrow(Point a, Point b, Color color, float width, int32_t id = -1);
  // What a view says before there is something to show: two centred lines.
  void empty_state(const std::string& what, const std::string& why);
  int32_t id(const ItemId& item) { return scene.add_id(item); }
  void accessible(const Rect& r, int32_t item, std::string name) {
    scene.add_accessible({r, item, std::move(name)});
  }

  Scene& scene;
  const Canvas& canvas;
  const Theme& theme;

 private:
  float unit_ = 1;
};

// `text` in lines of at most `width`, broken between words.
std::vector<std::string> wrapped_lines(std::string_view text, float text_px, float width,
                                       const MeasureText& measure);
Color with_alpha(Color c, double alpha);
Color mixed(Color a, Color b, double part_of_b);
std::string device_name(const Mesh& mesh, int32_t device);  // "(0,1)"

}  // namespace shardscope
