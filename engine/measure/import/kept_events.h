// SPDX-License-Identifier: Apache-2.0
// Events of a Chrome trace set aside in little memory until names and operators that stand behind them are
// known.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/measure/import/json_events.h"
#include "engine/measure/import/text_numbers.h"

namespace shardscope::inline measure {

// Complete events ("ph": "X"), about 60 bytes each: texts are there once, numbers in as many bytes as they
// have digits for.
class KeptEvents {
 public:
  // Where there is no room for another one, all are gone and `full` from then on.
  void add(const JsonEvent& event);
  bool full() const { return full_; }
  // All, in their order; an error of `take` ends it.
  Result<void> each(const std::function<Result<void>(JsonEvent&)>& take) const;

 private:
  void put(uint64_t number);
  void put_signed(int64_t number);
  void put_text(const std::string& text);
  void put_argument(const std::string& text);

  std::vector<unsigned char> bytes_;
  TextNumbers texts_;
  int64_t last_ns_ = 0;
  bool full_ = false;
};

}  // namespace shardscope::inline measure
