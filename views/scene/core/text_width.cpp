// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

// Advances of DejaVu Sans, rounded up by class of character: a box that fits the estimate fits the text.
float estimate_text_width(std::string_view text, float px, Face face) {
  const bool mono = is_mono(face);
  float em = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) == 0x80U) continue;
    // Accented Latin letters, U+00C0 to U+024F, are as wide as plain ones; × and ÷ stand among them.
    const bool latin = byte >= 0xC3U && byte <= 0xC9U && i + 1 < text.size() &&
                       !(byte == 0xC3U && (text[i + 1] == '\x97' || text[i + 1] == '\xB7'));
    if (mono) {
      em += 0.605F;
    } else if (std::string_view("il.,:;|'!j[]()/ Itf-").find(c) != std::string_view::npos) {
      em += 0.40F;
    } else if (std::string_view("mwMWGOQDNHU%@").find(c) != std::string_view::npos) {
      em += 0.92F;
    } else if (byte >= 0x80U && !latin) {
      em += 0.84F;
    } else {
      em += 0.64F;
    }
  }
  return em * px * (face == Face::bold ? 1.12F : 1.0F);
}

}  // namespace shardscope::inline views
