// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "views/scene/core/layouts.h"
#include "views/scene/core/ticks.h"

namespace shardscope::inline views {
namespace {

// The shortest range that zooming reaches: a pixel is never below a tenth of a picosecond or so.
constexpr Picoseconds kShortest = 100;

TimeRange inside(double start, double length, TimeRange bounds) {
  const double whole = static_cast<double>(std::max<Picoseconds>(bounds.length(), 1));
  length = std::clamp(length, std::min(whole, static_cast<double>(kShortest)), whole);
  start = std::clamp(start, static_cast<double>(bounds.start),
                     static_cast<double>(bounds.start) + whole - length);
  const auto from = static_cast<Picoseconds>(std::llround(start));
  return {from, from + std::max<Picoseconds>(1, static_cast<Picoseconds>(std::llround(length)))};
}

}  // namespace

float TimeAxis::x_of(Picoseconds t) const {
  const double length = static_cast<double>(std::max<Picoseconds>(range.length(), 1));
  return left + static_cast<float>(static_cast<double>(t - range.start) / length * width);
}

Picoseconds TimeAxis::time_at(float x) const {
  const double part = width > 0 ? static_cast<double>(x - left) / width : 0;
  return range.start + static_cast<Picoseconds>(std::llround(part * static_cast<double>(range.length())));
}

TimeRange TimeAxis::zoomed(float x, double factor, TimeRange bounds) const {
  const double part = width > 0 ? std::clamp(static_cast<double>(x - left) / width, 0.0, 1.0) : 0.5;
  const double length = static_cast<double>(range.length());
  const double under = static_cast<double>(range.start) + part * length;
  const double whole = static_cast<double>(std::max<Picoseconds>(bounds.length(), 1));
  const double after =
      std::clamp(length / std::max(factor, 1e-12), std::min(whole, static_cast<double>(kShortest)), whole);
  return inside(under - part * after, after, bounds);
}

TimeRange TimeAxis::panned(float dx, TimeRange bounds) const {
  const double per_pixel = width > 0 ? static_cast<double>(range.length()) / width : 0;
  return inside(static_cast<double>(range.start) - dx * per_pixel, static_cast<double>(range.length()),
                bounds);
}

double nice_step(double span, int most) {
  if (!(span > 0)) return 1;
  const double least = span / std::max(most, 1);
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double times : {1.0, 2.0, 5.0, 10.0}) {
    if (power * times >= least * (1 - 1e-9)) return power * times;
  }
  return power * 10;
}

std::vector<TimeTick> time_ticks(TimeRange range, int most) {
  std::vector<TimeTick> ticks;
  if (range.length() <= 0 || most < 1) return ticks;
  const auto step =
      static_cast<Picoseconds>(std::max(1.0, nice_step(static_cast<double>(range.length()), most)));
  struct Unit {
    Picoseconds size;
    const char* name;
  };
  Unit unit{1, "ps"};
  const Picoseconds largest = std::max(std::abs(range.start), std::abs(range.end));
  for (const Unit& u :
       {Unit{1'000, "ns"}, Unit{1'000'000, "µs"}, Unit{1'000'000'000, "ms"}, Unit{1'000'000'000'000, "s"}}) {
    if (largest >= u.size) unit = u;
  }
  int digits = 0;
  for (Picoseconds s = step; s < unit.size && s * 10 <= unit.size * 9 + s && digits < 12; s *= 10) ++digits;
  for (Picoseconds t = (range.start + step - 1) / step * step; t <= range.end; t += step) {
    ticks.push_back(
        {t, t == 0 ? std::string("0")
                   : fmt::format("{:.{}f} {}", static_cast<double>(t) / static_cast<double>(unit.size),
                                 digits, unit.name)});
  }
  return ticks;
}

}  // namespace shardscope::inline views
