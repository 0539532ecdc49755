// SPDX-License-Identifier: Apache-2.0
#include "app/window/experiment/chip_fields.h"

#include <cmath>

#include "app/window/document/language.h"
#include "engine/hardware/chip_numbers.h"

namespace shardscope::inline window {
namespace {

constexpr double kLargestCount = 1 << 20;

}  // namespace

QString ChipField::text(const Hardware& hardware) const {
  const auto value = get(hardware);
  return value ? QString::number(*value / factor, 'g', 12) : QString();
}

Result<Hardware> ChipField::with(const Hardware& hardware, const QString& typed) const {
  Hardware out = hardware;
  const QString digits = typed.trimmed().remove(',');
  if (digits.isEmpty()) {
    set(out, std::nullopt);
  } else {
    bool good = false;
    const double value = digits.toDouble(&good);
    const bool fits = !whole || (value == std::floor(value) && std::abs(value) <= kLargestCount);
    if (!good || !std::isfinite(value) || !fits) {
      return invalid(whole
                         ? say("got '{}', expected a whole number", typed.toStdString())
                         : say("got '{}', expected a number in {}", typed.toStdString(), unit.toStdString()));
    }
    set(out, value * factor);
  }
  // A file's own checks decide what is possible; their place in the text is of no use here.
  auto read = parse_hardware(hardware_toml(out), "");
  if (read.ok()) return read;
  Error reason = read.error();
  reason.where.clear();
  return reason;
}

std::vector<ChipField> chip_fields(const Hardware& hardware) {
  std::vector<ChipField> out;
  for (ChipNumber& number : chip_numbers(hardware))
    out.push_back({.key = number.key,
                   .section = spoken(number.section),
                   .label = QString::fromStdString(label_of(number)),
                   .unit = spoken(number.unit),
                   .factor = number.factor,
                   .whole = number.whole,
                   .empty = spoken(number.empty),
                   .get = std::move(number.get),
                   .set = std::move(number.set)});
  return out;
}

}  // namespace shardscope::inline window
