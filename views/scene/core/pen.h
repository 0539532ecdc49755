// SPDX-License-Identifier: Apache-2.0
// Writes into a Scene with the theme's colours and sizes.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

struct TextStyle {
  Color color;
  float size = 1;  // times the base size
  Align align = Align::left;
  Face face = Face::sans;
};

// Signs that need to be explained: what a picture draws of them stands in its legend.
enum class Mark : uint8_t {
  lane,  // one each
  exposed,
  merged,
  critical,
  baseline,
  owner,
  partial,
  absent,
  replicas,
  term,  // one each
  simulated,
  measured,
  foreign,
  unwritten,
  wrong,
  copy_started,
  copy_read,
  semaphore,
  fitted_to,
  held_out,
  before_fit,
  kind,  // of measured points, one each
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

  // A sign that is drawn in `at`, and whether one was where it can be seen.
  void mark(Mark mark, const Rect& at, int32_t index = 0) {
    if (scene.shows(at)) marks_.insert({mark, index});
  }
  bool marked(Mark mark, int32_t index = 0) const { return marks_.contains({mark, index}); }
  // Whether a plain ground for words leaves enough of a hatch in `marked` to be seen as one.
  static bool leaves_seen(const Rect& marked, const Rect& ground) {
    return ground.w * ground.h <= marked.w * marked.h / 2;
  }

  Scene& scene;
  const Canvas& canvas;
  const Theme& theme;

 private:
  float unit_ = 1;
  std::set<std::pair<Mark, int32_t>> marks_;
};

// `text` in lines of at most `width`, broken between words.
std::vector<std::string> wrapped_lines(std::string_view text, float text_px, float width,
                                       const MeasureText& measure);
Color with_alpha(Color c, double alpha);
Color mixed(Color a, Color b, double part_of_b);
std::string device_name(const Mesh& mesh, int32_t device);  // "(0,1)"

}  // namespace shardscope::inline views
