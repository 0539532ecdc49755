// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "views/scene/core/scene.h"

struct ImFont;
struct ImFontAtlas;

namespace shardscope::inline views {

// The glyphs of all canvases in one texture. Every size is baked at the pixels it is shown with, so text is
// never stretched; sizes and characters are added as scenes ask for them. Used on the GUI thread only.
class FontAtlas {
 public:
  static std::shared_ptr<FontAtlas> shared();  // one for all canvases that live at the same time
  FontAtlas();
  ~FontAtlas();
  FontAtlas(const FontAtlas&) = delete;
  FontAtlas& operator=(const FontAtlas&) = delete;

  // Bakes what `scene` needs at `scale` device pixels per logical pixel. Not within an ImGui frame.
  void prepare(const Scene& scene, double scale);
  // The font of a text prepared before.
  ImFont* find(const TextItem& text, double scale) const;
  ImFontAtlas* atlas() const { return atlas_.get(); }
  int64_t generation() const { return generation_; }  // changes when the texture does

 private:
  using Key = std::pair<int, Face>;  // device pixels
  static Key key(const TextItem& text, double scale);
  void bake();

  std::unique_ptr<ImFontAtlas> atlas_;
  std::set<Key> wanted_;
  std::map<Key, ImFont*> fonts_;
  std::set<uint32_t> characters_;
  std::vector<uint16_t> ranges_;  // ImGui reads it while it bakes
  int64_t generation_ = 0;
};

}  // namespace shardscope::inline views
