// SPDX-License-Identifier: Apache-2.0
#include "views/scene/core/theme.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace shardscope::inline views {
namespace {

constexpr Color hex(uint32_t rgb, uint8_t alpha = 255) {
  return {static_cast<uint8_t>(rgb >> 16), static_cast<uint8_t>(rgb >> 8), static_cast<uint8_t>(rgb), alpha};
}

// M. Okabe, K. Ito, "Color universal design", 2008; grey for the eighth.
constexpr std::array<Color, 8> kOkabeIto = {hex(0xE69F00), hex(0x56B4E9), hex(0x009E73), hex(0xF0E442),
                                            hex(0x0072B2), hex(0xD55E00), hex(0xCC79A7), hex(0x999999)};
constexpr Color kAmber = hex(0xF5C710);  // instead of the yellow on white

// J. R. Nuñez et al., "Optimizing colormaps with consideration for color vision deficiency", 2018: cividis at
// 9 places.
constexpr std::array<Color, 9> kCividis = {hex(0x00224E), hex(0x123570), hex(0x3B496C),
                                           hex(0x575D6D), hex(0x707173), hex(0x8A8678),
                                           hex(0xA59C74), hex(0xC3B369), hex(0xFEE838)};

// A family per mesh axis; {up, down} on white, {up, down} on black. Neighbours differ in more than hue.
struct AxisHues {
  std::array<Color, 2> light, dark;
};
constexpr std::array<AxisHues, 6> kAxisHues = {{
    {{hex(0x0072B2), hex(0x6BAED6)}, {hex(0x4FA3DB), hex(0x8CC7EC)}},
    {{hex(0xE08A00), hex(0xF7BF5E)}, {hex(0xE69F00), hex(0xF7C877)}},
    {{hex(0xA6508A), hex(0xD79CC2)}, {hex(0xCC79A7), hex(0xE3AFCB)}},
    {{hex(0x00805D), hex(0x5DC1A3)}, {hex(0x26B38D), hex(0x7DD3BB)}},
    {{hex(0x6A51A3), hex(0xA79BCB)}, {hex(0x9A86D0), hex(0xBFB3E2)}},
    {{hex(0x7A6A00), hex(0xC2B24A)}, {hex(0xB9A635), hex(0xDCCF85)}},
}};

// By value, as every label on a bar asks for it.
const std::array<double, 256>& channels() {
  static const std::array<double, 256> all = [] {
    std::array<double, 256> out{};
    for (size_t value = 0; value < out.size(); ++value) {
      const double v = static_cast<double>(value) / 255.0;
      out[value] = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    }
    return out;
  }();
  return all;
}

double channel(uint8_t value) {
  return channels()[value];
}

double luminance(Color c) {
  return 0.2126 * channel(c.r) + 0.7152 * channel(c.g) + 0.0722 * channel(c.b);
}

Color from_hsl(double hue, double saturation, double lightness) {
  const auto part = [&](double n) {
    const double k = std::fmod(n + hue * 12, 12.0);
    const double a = saturation * std::min(lightness, 1 - lightness);
    return static_cast<uint8_t>(
        std::lround(255 * (lightness - a * std::max(-1.0, std::min({k - 3, 9 - k, 1.0})))));
  };
  return {part(0), part(8), part(4), 255};
}

}  // namespace

Theme light_theme() {
  Theme t;
  t.background = hex(0xFFFFFF);
  t.panel = hex(0xF4F5F7);
  t.text = hex(0x1B1F24);
  t.muted_text = hex(0x57606A);
  t.rule = hex(0xD5D9DE);
  t.selection = hex(0x0B57D0);
  t.hover = hex(0x3D4650);
  t.focus = hex(0x0B57D0);
  t.compute = hex(0xB4BBC4);
  t.copy = hex(0x8D96A0);
  t.exposed = hex(0x7A2E00);
  t.critical = hex(0x111418);
  t.warning = hex(0x8A4B00);
  return t;
}

Theme dark_theme() {
  Theme t;
  t.dark = true;
  t.background = hex(0x16191D);
  t.panel = hex(0x1F2429);
  t.text = hex(0xE8EBEE);
  t.muted_text = hex(0xA3ACB5);
  t.rule = hex(0x3A424A);
  t.selection = hex(0x7FB4FF);
  t.hover = hex(0xC9D1D9);
  t.focus = hex(0x7FB4FF);
  t.compute = hex(0x66707A);
  t.copy = hex(0x8D97A1);
  t.exposed = hex(0xFFF1D6);
  t.critical = hex(0xFFFFFF);
  t.warning = hex(0xF2B35E);
  return t;
}

Theme presented(Theme theme, float height) {
  theme.least_px = height * kPresentedText;
  theme.scale = theme.least_px / theme.base_px;
  return theme;
}

Color identity_color(const Theme& theme, int identity, int identities) {
  identity = std::max(0, identity);
  if (identities <= 8) {
    const auto place = static_cast<size_t>(identity % 8);
    return place == 3 && !theme.dark ? kAmber : kOkabeIto[place];
  }
  // Steps of the golden ratio keep neighbours apart however many there are.
  const double hue = std::fmod(0.08 + identity * 0.61803398875, 1.0);
  return from_hsl(hue, 0.55, theme.dark ? 0.55 : 0.66);
}

Color axis_color(const Theme& theme, int axis, int direction) {
  if (axis < 0) return theme.copy;
  const AxisHues& hues = kAxisHues[static_cast<size_t>(axis) % kAxisHues.size()];
  return (theme.dark ? hues.dark : hues.light)[direction < 0 ? 1 : 0];
}

Color cividis(double fraction) {
  const double place = std::clamp(std::isnan(fraction) ? 0.0 : fraction, 0.0, 1.0) * (kCividis.size() - 1);
  const auto below = std::min(static_cast<size_t>(place), kCividis.size() - 2);
  const double part = place - static_cast<double>(below);
  const auto mix = [&](uint8_t a, uint8_t b) {
    return static_cast<uint8_t>(std::lround(a + (b - a) * part));
  };
  const Color a = kCividis[below];
  const Color b = kCividis[below + 1];
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b), 255};
}

Color text_on(const Theme& theme, Color background) {
  const Color dark = theme.dark ? theme.background : theme.text;
  const Color light = theme.dark ? theme.text : hex(0xFFFFFF);
  const Color better = contrast(dark, background) >= contrast(light, background) ? dark : light;
  if (contrast(better, background) >= 4.5) return better;
  // Of black and white one always reaches 4.58.
  return contrast(hex(0x000000), background) >= contrast(hex(0xFFFFFF), background) ? hex(0x000000)
                                                                                    : hex(0xFFFFFF);
}

double contrast(Color a, Color b) {
  const double la = luminance(a);
  const double lb = luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

}  // namespace shardscope::inline views
