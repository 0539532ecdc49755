// SPDX-License-Identifier: Apache-2.0
// What stands above and below a presented picture, whatever it shows: of which run it is, where the talk
// stands, and what is said. Nothing is left out: a text takes as many lines as it needs.
#pragma once

#include <string>
#include <string_view>

#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

std::string presented_name(const Run& run);  // "wang.os · row=2,col=4 · tpu-v5e"

// The canvases have the presented theme and the screen's width; the height is the band's.
float presented_head_height(std::string_view name, std::string_view place, const Canvas& canvas);
Scene layout_presented_head(std::string_view name, std::string_view place, const Canvas& canvas);
float presented_foot_height(std::string_view sentence, const Canvas& canvas);
Scene layout_presented_foot(std::string_view sentence, const Canvas& canvas);

}  // namespace shardscope::inline views
