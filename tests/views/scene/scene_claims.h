// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

#include "views/scene/core/layouts.h"

namespace shardscope {

inline bool shows(const Scene& scene, const std::string& part) {
  return std::any_of(scene.texts().begin(), scene.texts().end(),
                     [&](const TextItem& t) { return t.text.find(part) != std::string::npos; });
}

// Every text stands inside the picture.
inline void expect_words_inside(const Scene& scene) {
  for (const TextItem& t : scene.texts()) {
    const float width = estimate_text_width(t.text, t.px, t.face);
    const float left = t.at.x - (t.align == Align::center ? width / 2 : t.align == Align::right ? width : 0);
    EXPECT_GE(left, -1) << t.text;
    EXPECT_LE(left + width, scene.width + 1) << t.text;
  }
}

}  // namespace shardscope
