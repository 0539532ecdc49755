// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/hardware/cost.h"
#include "engine/program/ir/shape.h"

namespace shardscope::inline measure {

// What an instruction's text in a profile says of shapes: "%dot.3 = bf16[8,4]{1,0} dot(bf16[8,2]{1,0} %a, …),
// …".
struct HloLine {
  Shape result;
  std::string_view opcode;
  std::vector<Shape> operands;
  std::string_view attributes;

  static std::optional<HloLine> parse(std::string_view text);

  std::string element_type() const;        // of the first operand that is an array, else of the result
  std::string shapes(bool product) const;  // "bf16[8,2] × bf16[2,4]"; "bf16[8] → bf16[64]"
  int64_t whole_bytes() const;  // of a collective: the larger one of what goes in and what comes out
  int64_t read_and_written() const;
  int32_t group() const;  // devices of a replica group, 0: not said
  // m, k and n: of a dot by its dimension numbers, of a fusion by the two operands that its flops go with.
  std::optional<ProductSize> product(double flops) const;

 private:
  std::optional<ProductSize> dot_size() const;
};

// A shape's text without layouts: "bf16[8,4]".
std::string plain_text(const Shape& shape);

}  // namespace shardscope::inline measure
