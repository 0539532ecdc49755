// SPDX-License-Identifier: Apache-2.0
// XLA's order of attributes when it prints, and texts put in that order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/program/ir/instruction.h"

namespace shardscope::inline program {

// A key's place among the attributes of an instruction; what XLA has no key for stands behind those that
// belong to its operation.
int place_among_attributes(const Instruction& instruction, std::string_view key);
// The same among the attributes of a module's first line; keys that XLA has not stand at its end.
int place_in_header(std::string_view key);

// ", key=value" in the order of their places, those of one place as they came.
class OrderedTexts {
 public:
  void add(int place, std::string_view key, std::string_view value);  // no '=' where the value is empty
  // Appends them to `out`; there are none behind it.
  void append_to(std::string& out);

 private:
  struct Part {
    int place;
    size_t begin, end;
  };
  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace shardscope::inline program
