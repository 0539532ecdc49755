// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "views/scene/core/layouts.h"

namespace shardscope {

// Advances of DejaVu Sans, rounded up by class of character: a box that fits the estimate fits the text.
float estimate_text_width(std::string_view text, float px, Face face) {
  const bool mono = is_mono(face);
  float em = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) == 0x80U) continue;
    if (mono) {
      em += 0.605F;
    } else if (std::string_view("il.,:;|'!j[]()/ Itf-").find(c) != std::string_view::npos) {
      em += 0.40F;
    } else if (std::string_view("mwMWGOQDNHU%@").find(c) != std::string_view::npos) {
      em += 0.92F;
    } else if (byte >= 0x80U) {
      em += 0.84F;
    } else {
      em += 0.64F;
    }
  }
  return em * px * (face == Face::bold ? 1.12F : 1.0F);
}

}  // namespace shardscope
