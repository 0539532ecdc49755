// SPDX-License-Identifier: Apache-2.0
// The numbers of a chip, in one table: the form that edits them and the reports that list them with their
// sources read it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/hardware/hardware.h"

namespace shardscope::inline hardware {

// One number as a person reads it: in `unit`, which is `factor` of the unit that Hardware keeps it in. Texts
// are for translators (to_say).
struct ChipNumber {
  std::string key;  // as in a hardware file: "memory.hbm_bytes_per_s"; also the key of its source
  const char* section = "";
  const char* label = "";  // with {} for `of`
  std::string of{};        // a dtype, "all-reduce of 8"
  const char* unit = "";
  double factor = 1;
  bool whole = false;      // counts
  const char* empty = "";  // what no number means: "not published", or the value that stands for it
  std::function<std::optional<double>(const Hardware&)> get;
  std::function<void(Hardware&, std::optional<double>)> set;
};

// Every number of a chip, in the order of a hardware file; those of [[link.op]] for the rows that `hardware`
// has.
std::vector<ChipNumber> chip_numbers(const Hardware& hardware);
std::string label_of(const ChipNumber& number);  // in the language of the window; English elsewhere

}  // namespace shardscope::inline hardware
