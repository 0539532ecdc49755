// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/hardware/hardware.h"

namespace shardscope::inline window {

// One number of a chip as a person edits it: in `unit`, which is `factor` of the unit that Hardware keeps it
// in.
struct ChipField {
  std::string key;  // as in a hardware file: "memory.hbm_bytes_per_s"; also the key of its source
  QString section, label, unit;
  double factor = 1;
  bool whole = false;  // counts
  QString empty;       // what an empty field means: "not published", or the value that stands for it
  std::function<std::optional<double>(const Hardware&)> get;
  std::function<void(Hardware&, std::optional<double>)> set;

  QString text(const Hardware& hardware) const;  // "" when there is no number
  // `hardware` with the field as it was typed: an error says what was expected.
  Result<Hardware> with(const Hardware& hardware, const QString& typed) const;
};

// Every number of a chip, in the order of a hardware file.
std::vector<ChipField> chip_fields(const Hardware& hardware);

}  // namespace shardscope::inline window
