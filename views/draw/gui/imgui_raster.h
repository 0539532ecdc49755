// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>

struct ImDrawData;
struct ImFontAtlas;

namespace shardscope::inline views {

// Draws ImGui's triangles on the CPU, the same bits on every machine. `image` is Format_RGB32 and as large as
// the draw data's display; the texture of every command is `atlas`, its alpha times the vertex colour.
void rasterise(const ImDrawData& data, ImFontAtlas& atlas, QImage& image);

}  // namespace shardscope::inline views
