// SPDX-License-Identifier: Apache-2.0
// Scenes as JSON for the player's script (assets/player/player.js reads it): tables of strings, colours, ids,
// tooltips and items, and pictures that are lists of places in them.
//
//   string   "a3"
//   color    ["#rrggbbaa" light, dark]; one string when both are the same
//   id       the fields of an ItemId, [kind, device, instruction, event, lane, index], without -1 at the end
//   tip      places of its lines' strings
//   item     [0, x, y, w, h, fill, id, border, border width, radius, pattern, pattern colour]   a rectangle
//            [1, [x0, y0, x1, …], colour, width, dashed 1 + arrow 2, id]                        a line
//            [2, x, y, radius, fill, id, border, border width]                                  a circle
//            [3, x, y, string, colour, px, align, face]                                         a text
//            [4, x, y, w, h], [4]                                            a clip, the innermost one's end
//            [5, x, y, w, h, string, id]                                  what a screen reader says of it
//            places are -1 where there is none; zeros at the end are left out; a pattern is the string of a
//            path ("M0 6L6 0") or of its dots ("D3 3 9 3")
//   picture  places of its items, in the order of drawing; -n before a place: it and the n - 1 after it
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "views/player/played_page.h"

namespace shardscope::inline views {

class SceneTables {
 public:
  // The list that is a picture: "[12,-30,14,7]".
  std::string picture(const PlayedPicture& picture);
  // "[id,tip,id,tip]": what tooltips say at this moment and did not say before; `before` becomes it.
  std::string tips(const PlayedPicture& picture, std::unordered_map<int32_t, int32_t>& before);
  int32_t color(Color light, Color dark);  // -1: nothing is painted
  int32_t string(const std::string& text);
  // "\"strings\":[…],\"colors\":[…],\"ids\":[…],\"tips\":[…],\"items\":[…]".
  std::string members() const;

 private:
  // Texts of JSON, each once.
  struct Table {
    std::vector<std::string> rows;
    std::unordered_map<std::string, int32_t> places;
    int32_t place(const std::string& row);
    std::string text() const;
  };
  int32_t id(const Scene& scene, int32_t place);
  int32_t id(const ItemId& item);
  int32_t item(const RectItem& light, const RectItem& dark, const Scene& scene);
  int32_t item(const LineItem& light, const LineItem& dark, const Scene& scene);
  int32_t item(const CircleItem& light, const CircleItem& dark, const Scene& scene);
  int32_t item(const TextItem& light, const TextItem& dark);
  int32_t item(const ClipItem& clip);
  int32_t item(const AccessibleItem& item, const Scene& scene);
  Table strings_, colors_, ids_, tips_, items_;
};

// Text as a string of JSON; what is no UTF-8 stands as U+FFFD.
std::string json_string(const std::string& text);
// Whether the two are one picture in other colours.
bool same_but_colors(const Scene& light, const Scene& dark);

}  // namespace shardscope::inline views
