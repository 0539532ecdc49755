// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace shardscope {

// A stack of layers of so many lines in all as XLA prints them, 170 bytes a line: shapes with layouts,
// operands with theirs, metadata.
inline std::string big_module(int lines) {
  const std::string shape = "f32[256,256]{1,0:T(8,128)}";
  std::string out = "HloModule big, num_partitions=8\n\nENTRY %main {\n  %x.0 = " + shape +
                    " parameter(0), sharding={devices=[4,2]<=[8]}\n";
  for (int i = 1; i < lines - 4; ++i) {
    const std::string operand = shape + " %x." + std::to_string(i - 1);
    out += "  %x." + std::to_string(i) + " = " + shape;
    out += i % 3 == 0
               ? " dot(" + operand + ", " + operand + "), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
               : " add(" + operand + ", " + operand + ")";
    out += ", metadata={op_name=\"jit(step)/layer_" + std::to_string(i / 40) +
           "/mlp/dot_general\" source_file=\"model.py\" source_line=12}\n";
  }
  return out + "}\n";
}

}  // namespace shardscope
