// SPDX-License-Identifier: Apache-2.0
#include "views/scene/core/plot_axis.h"

#include <algorithm>
#include <cmath>

#include "views/scene/core/ticks.h"

namespace shardscope::inline views {
namespace {

constexpr double kLogarithmicFrom = 8;

std::vector<double> decimal_ticks(const PlotAxis& axis, int most) {
  const auto collect = [&](const std::vector<double>& mantissas, int stride) {
    std::vector<double> out;
    const int last = static_cast<int>(std::floor(std::log10(axis.to)));
    for (int power = static_cast<int>(std::floor(std::log10(axis.from))); power <= last; ++power) {
      if (power % stride != 0) continue;
      for (const double mantissa : mantissas) {
        const double value = mantissa * std::pow(10.0, power);
        if (value >= axis.from && value <= axis.to) out.push_back(value);
      }
    }
    return out;
  };
  std::vector<double> out = collect({1, 2, 5}, 1);
  for (int stride = 1; std::ssize(out) > most; ++stride) out = collect({1}, stride);
  return out;
}

std::vector<double> power_of_two_ticks(const PlotAxis& axis, int most) {
  const int first = static_cast<int>(std::ceil(std::log2(axis.from)));
  const int last = static_cast<int>(std::floor(std::log2(axis.to)));
  const int stride = std::max(1, (last - first) / std::max(1, most) + 1);
  std::vector<double> out;
  for (int power = first; power <= last; power += stride) out.push_back(std::pow(2.0, power));
  return out;
}

}  // namespace

float PlotAxis::at(double value) const {
  const auto place = [this](double v) { return logarithmic ? std::log10(std::max(v, 1e-300)) : v; };
  const double span = place(to) - place(from);
  return start + static_cast<float>((place(value) - place(from)) / (span > 0 ? span : 1)) * length;
}

PlotAxis plot_axis(double low, double high, float start, float length) {
  if (high > kLogarithmicFrom * low) return {true, low / 1.3, high * 1.3, start, length};
  return {false, 0, high * 1.1, start, length};
}

std::vector<double> plot_ticks(const PlotAxis& axis, int most, bool binary) {
  if (axis.logarithmic) return binary ? power_of_two_ticks(axis, most) : decimal_ticks(axis, most);
  double unit = 1;
  while (binary && unit * 1024 <= axis.to) unit *= 1024;
  const double step = nice_step((axis.to - axis.from) / unit, most) * unit;
  std::vector<double> out;
  for (double value = std::ceil(axis.from / step) * step; value <= axis.to; value += step)
    out.push_back(value);
  return out;
}

}  // namespace shardscope::inline views
