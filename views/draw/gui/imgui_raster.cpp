// SPDX-License-Identifier: Apache-2.0
#include "views/draw/gui/imgui_raster.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <imgui.h>

#include "engine/base/check.h"

namespace shardscope::inline views {
namespace {

struct Box {
  int left, top, right, bottom;  // half open
};

struct Texture {
  const uint8_t* alpha;
  int width, height;
};

int pixel(float edge) {
  return static_cast<int>(std::ceil(edge - 0.5F));
}  // the first pixel centre at or behind

class Rasteriser {
 public:
  Rasteriser(QImage& image, Texture texture)
      : texture_(texture), width_(image.width()), height_(image.height()) {
    bits_ = reinterpret_cast<uint32_t*>(image.bits());
    stride_ = static_cast<size_t>(image.bytesPerLine()) / 4;
  }

  void set_clip(const ImVec4& clip) {
    clip_ = {std::max(0, static_cast<int>(clip.x)), std::max(0, static_cast<int>(clip.y)),
             std::min(width_, static_cast<int>(clip.z)), std::min(height_, static_cast<int>(clip.w))};
  }

  void triangles(const ImDrawVert* vertices, const ImDrawIdx* indices, unsigned count) {
    for (unsigned i = 0; i + 2 < count;) {
      if (i + 5 < count && is_quad(vertices, indices + i)) {
        quad(vertices[indices[i]], vertices[indices[i + 2]]);
        i += 6;
      } else {
        triangle(vertices[indices[i]], vertices[indices[i + 1]], vertices[indices[i + 2]]);
        i += 3;
      }
    }
  }

 private:
  // Two triangles (a b c)(a c d) that are one axis-parallel rectangle of one colour: what PrimRect writes.
  static bool is_quad(const ImDrawVert* v, const ImDrawIdx* i) {
    if (i[3] != i[0] || i[4] != i[2]) return false;
    const ImDrawVert &a = v[i[0]], &b = v[i[1]], &c = v[i[2]], &d = v[i[5]];
    return a.pos.y == b.pos.y && b.pos.x == c.pos.x && c.pos.y == d.pos.y && d.pos.x == a.pos.x &&
           a.col == b.col && a.col == c.col && a.col == d.col && a.pos.x <= c.pos.x && a.pos.y <= c.pos.y;
  }

  static uint32_t blend(uint32_t below, uint32_t r, uint32_t g, uint32_t b, uint32_t a) {
    const uint32_t rest = 255 - a;
    const auto mix = [&](uint32_t top, uint32_t shift) {
      const uint32_t sum = top * a + ((below >> shift) & 0xFFU) * rest + 128;
      return ((sum + (sum >> 8U)) >> 8U) << shift;
    };
    return 0xFF000000U | mix(r, 16) | mix(g, 8) | mix(b, 0);
  }

  void quad(const ImDrawVert& low, const ImDrawVert& high) {
    const Box box{std::max(clip_.left, pixel(low.pos.x)), std::max(clip_.top, pixel(low.pos.y)),
                  std::min(clip_.right, pixel(high.pos.x)), std::min(clip_.bottom, pixel(high.pos.y))};
    if (box.left >= box.right || box.top >= box.bottom) return;
    const uint32_t color = low.col;
    const uint32_t r = color & 0xFFU, g = (color >> 8U) & 0xFFU, b = (color >> 16U) & 0xFFU, a = color >> 24U;
    if (low.uv.x != high.uv.x || low.uv.y != high.uv.y) {
      glyph(low, high, box);
      return;
    }
    if (a == 255) {
      const uint32_t value = 0xFF000000U | (r << 16U) | (g << 8U) | b;
      for (int y = box.top; y < box.bottom; ++y) std::fill(at(box.left, y), at(box.right, y), value);
    } else if (a > 0) {
      for (int y = box.top; y < box.bottom; ++y) {
        for (uint32_t* p = at(box.left, y); p != at(box.right, y); ++p) *p = blend(*p, r, g, b, a);
      }
    }
  }

  // Glyphs are baked at the size they are shown with: the nearest texel is the right one.
  void glyph(const ImDrawVert& low, const ImDrawVert& high, Box box) {
    const uint32_t color = low.col;
    const uint32_t r = color & 0xFFU, g = (color >> 8U) & 0xFFU, b = (color >> 16U) & 0xFFU, a = color >> 24U;
    const float du = (high.uv.x - low.uv.x) * static_cast<float>(texture_.width) / (high.pos.x - low.pos.x);
    const float dv = (high.uv.y - low.uv.y) * static_cast<float>(texture_.height) / (high.pos.y - low.pos.y);
    const float u0 = low.uv.x * static_cast<float>(texture_.width);
    const float v0 = low.uv.y * static_cast<float>(texture_.height);
    for (int y = box.top; y < box.bottom; ++y) {
      const int v = std::clamp(static_cast<int>(v0 + (static_cast<float>(y) + 0.5F - low.pos.y) * dv), 0,
                               texture_.height - 1);
      const uint8_t* row = texture_.alpha + static_cast<size_t>(v) * static_cast<size_t>(texture_.width);
      for (int x = box.left; x < box.right; ++x) {
        const int u = std::clamp(static_cast<int>(u0 + (static_cast<float>(x) + 0.5F - low.pos.x) * du), 0,
                                 texture_.width - 1);
        const uint32_t cover = row[u] * a / 255;
        if (cover > 0) *at(x, y) = blend(*at(x, y), r, g, b, cover);
      }
    }
  }

  // Where the edge from p to q crosses the row's centre. Callers order p above q, so neighbours that share an
  // edge compute the same number and neither leave a gap nor draw a pixel twice.
  static float crossing(ImVec2 p, ImVec2 q, float y) { return p.x + (q.x - p.x) * ((y - p.y) / (q.y - p.y)); }

  void triangle(const ImDrawVert& v0, const ImDrawVert& v1, const ImDrawVert& v2) {
    std::array<const ImDrawVert*, 3> v{&v0, &v1, &v2};
    const auto above = [](const ImDrawVert* a, const ImDrawVert* b) {
      return a->pos.y < b->pos.y || (a->pos.y == b->pos.y && a->pos.x < b->pos.x);
    };
    std::sort(v.begin(), v.end(), above);
    const ImVec2 p = v[0]->pos, q = v[1]->pos, s = v[2]->pos;
    const int top = std::max(clip_.top, pixel(p.y));
    const int bottom = std::min(clip_.bottom, pixel(s.y));
    if (top >= bottom) return;
    const float area = (q.x - p.x) * (s.y - p.y) - (s.x - p.x) * (q.y - p.y);
    if (area == 0) return;
    const bool flat = v0.col == v1.col && v1.col == v2.col;
    std::array<std::array<float, 4>, 3> colors{};
    for (size_t i = 0; i < 3; ++i) {
      for (size_t c = 0; c < 4; ++c) colors[i][c] = static_cast<float>((v[i]->col >> (8 * c)) & 0xFFU);
    }
    for (int y = top; y < bottom; ++y) {
      const float cy = static_cast<float>(y) + 0.5F;
      const float far = crossing(p, s, cy);
      const float near = cy < q.y ? crossing(p, q, cy) : crossing(q, s, cy);
      const int left = std::max(clip_.left, pixel(std::min(far, near)));
      const int right = std::min(clip_.right, pixel(std::max(far, near)));
      for (int x = left; x < right; ++x) {
        std::array<float, 4> c = colors[0];
        if (!flat) {
          const float cx = static_cast<float>(x) + 0.5F;
          const float w2 = ((q.x - p.x) * (cy - p.y) - (cx - p.x) * (q.y - p.y)) / area;
          const float w1 = ((cx - p.x) * (s.y - p.y) - (s.x - p.x) * (cy - p.y)) / area;
          for (size_t i = 0; i < 4; ++i) {
            c[i] = colors[0][i] + w1 * (colors[1][i] - colors[0][i]) + w2 * (colors[2][i] - colors[0][i]);
          }
        }
        const auto byte = [](float f) { return static_cast<uint32_t>(std::clamp(f + 0.5F, 0.0F, 255.0F)); };
        const uint32_t a = byte(c[3]);
        if (a > 0) *at(x, y) = blend(*at(x, y), byte(c[0]), byte(c[1]), byte(c[2]), a);
      }
    }
  }

  uint32_t* at(int x, int y) { return bits_ + static_cast<size_t>(y) * stride_ + static_cast<size_t>(x); }

  Texture texture_;
  int width_, height_;
  uint32_t* bits_ = nullptr;
  size_t stride_ = 0;
  Box clip_{0, 0, 0, 0};
};

}  // namespace

void rasterise(const ImDrawData& data, ImFontAtlas& atlas, QImage& image) {
  CHECK(image.format() == QImage::Format_RGB32, static_cast<int>(image.format()));
  unsigned char* pixels = nullptr;
  int width = 0, height = 0;
  atlas.GetTexDataAsAlpha8(&pixels, &width, &height);
  Rasteriser rasteriser(image, {pixels, width, height});
  for (int n = 0; n < data.CmdListsCount; ++n) {
    const ImDrawList& list = *data.CmdLists[n];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (command.UserCallback != nullptr) continue;
      rasteriser.set_clip(command.ClipRect);
      rasteriser.triangles(list.VtxBuffer.Data + command.VtxOffset, list.IdxBuffer.Data + command.IdxOffset,
                           command.ElemCount);
    }
  }
}

}  // namespace shardscope::inline views
