// SPDX-License-Identifier: Apache-2.0
#include "views/draw/gui/imgui_fonts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <imgui.h>
#include <imgui_freetype.h>
#include <string>

#include "engine/base/check.h"

namespace shardscope::inline views {
namespace {

// ImGui sizes a font by its line (ascent + descent), Qt and CSS by its em; DejaVu's line is 1.164 em.
constexpr float kLinePerEm = 1.164F;

// Keeps the texture small while the scale is changed again and again.
constexpr size_t kMostSizes = 48;

std::string font_file(Face face) {
  static constexpr std::array kNames{"DejaVuSans.ttf", "DejaVuSansMono.ttf", "DejaVuSans-Bold.ttf",
                                     "DejaVuSansMono-Bold.ttf"};  // by Face
  static constexpr std::array kFolders{"/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/TTF",
                                       "/usr/share/fonts/dejavu", "/usr/share/fonts/dejavu-sans-fonts",
                                       "/usr/local/share/fonts"};
  for (const char* folder : kFolders) {
    std::error_code ignored;
    const auto path = std::filesystem::path(folder) / kNames[static_cast<size_t>(face)];
    if (std::filesystem::exists(path, ignored)) return path.string();
  }
  return "";
}

// Calls add(character) for every code point; broken UTF-8 gives U+FFFD.
template <class Add>
void each_character(const std::string& text, Add add) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (length == 1) {
      add(lead < 0x80 ? uint32_t{lead} : 0xFFFDU);
    } else {
      uint32_t code = lead & (0x7FU >> length);
      for (size_t j = 1; j < length && i + j < text.size(); ++j) {
        code = (code << 6U) | (static_cast<unsigned char>(text[i + j]) & 0x3FU);
      }
      add(code);
    }
    i += length;
  }
}

}  // namespace

std::shared_ptr<FontAtlas> FontAtlas::shared() {
  static std::weak_ptr<FontAtlas> current;
  auto atlas = current.lock();
  if (!atlas) current = atlas = std::make_shared<FontAtlas>();
  return atlas;
}

FontAtlas::FontAtlas() : atlas_(std::make_unique<ImFontAtlas>()) {
  atlas_->FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas_->FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
  // Lines as plain triangles: the raster host then needs the texture for glyphs only.
  atlas_->Flags = ImFontAtlasFlags_NoBakedLines | ImFontAtlasFlags_NoMouseCursors;
  for (uint32_t c = 0x20; c < 0x7F; ++c) characters_.insert(c);
  for (const uint32_t c : {0xB5U, 0xD7U, 0xB7U, 0x2248U, 0x2026U, 0x2192U, 0x2013U, 0xFFFDU})
    characters_.insert(c);
  wanted_.insert({13, Face::sans});
}

FontAtlas::~FontAtlas() = default;

FontAtlas::Key FontAtlas::key(const TextItem& text, double scale) {
  const int pixels = static_cast<int>(std::lround(static_cast<double>(text.px) * scale));
  return {std::clamp(pixels, 6, 200), text.face};
}

void FontAtlas::prepare(const Scene& scene, double scale) {
  if (wanted_.size() > kMostSizes) wanted_.clear();  // others come back with the scenes that need them
  const size_t sizes = wanted_.size();
  const size_t characters = characters_.size();
  for (const TextItem& text : scene.texts()) {
    wanted_.insert(key(text, scale));
    each_character(text.text, [this](uint32_t c) {
      if (c >= 0x20 && c <= 0xFFFF) characters_.insert(c);
    });
  }
  if (!atlas_->IsBuilt() || sizes != wanted_.size() || characters != characters_.size()) bake();
}

void FontAtlas::bake() {
  ranges_.clear();
  for (const uint32_t c : characters_) {
    if (!ranges_.empty() && ranges_.back() + 1U == c) {
      ranges_.back() = static_cast<uint16_t>(c);
    } else {
      ranges_.push_back(static_cast<uint16_t>(c));
      ranges_.push_back(static_cast<uint16_t>(c));
    }
  }
  ranges_.push_back(0);
  atlas_->Clear();
  fonts_.clear();
  for (const Key& wanted : wanted_) {
    const auto [pixels, face] = wanted;
    ImFontConfig config;
    config.OversampleH = 1;
    config.PixelSnapH = true;
    const std::string file = font_file(face);
    fonts_[wanted] = file.empty()
                         ? atlas_->AddFontDefault()
                         : atlas_->AddFontFromFileTTF(file.c_str(), static_cast<float>(pixels) * kLinePerEm,
                                                      &config, ranges_.data());
  }
  atlas_->Build();
  ++generation_;
}

ImFont* FontAtlas::find(const TextItem& text, double scale) const {
  const auto found = fonts_.find(key(text, scale));
  CHECK(found != fonts_.end(), text.text);
  return found->second;
}

}  // namespace shardscope::inline views
