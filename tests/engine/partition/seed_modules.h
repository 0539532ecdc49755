// SPDX-License-Identifier: Apache-2.0
// Modules as PyTorch/XLA hands them to XLA: annotations stand in a computation that the entry calls.
#pragma once

#include <fmt/format.h>
#include <string>

namespace shardscope::testing {

// `opcode` (dot, multiply, add) of two float arrays, both and the result split as `sharding` says.
inline std::string annotated_module(const std::string& opcode, const std::string& attributes,
                                    const std::string& array, const std::string& sharding,
                                    const std::string& function) {
  const std::string fills = fmt::format(
      R"(  %constant.2 = f32[] constant(0), metadata={{op_type="prim__Constant" op_name="prim__Constant"}}
  %reshape.3 = f32[1,1]{{1,0}} reshape(f32[] %constant.2), metadata={{op_type="aten__expand" op_name="aten__expand"}}
  %broadcast.4 = f32[1,1]{{1,0}} broadcast(f32[1,1]{{1,0}} %reshape.3), dimensions={{0,1}}, metadata={{op_type="aten__expand" op_name="aten__expand"}}
  %reshape.5 = f32[] reshape(f32[1,1]{{1,0}} %broadcast.4), metadata={{op_type="aten__expand" op_name="aten__expand"}}
  %broadcast.6 = {0} broadcast(f32[] %reshape.5), dimensions={{}}, metadata={{op_type="aten__expand" op_name="aten__expand"}}
  %constant.8 = f32[] constant(0), metadata={{op_type="prim__Constant" op_name="prim__Constant"}}
  %reshape.9 = f32[1,1]{{1,0}} reshape(f32[] %constant.8), metadata={{op_type="aten__expand" op_name="aten__expand"}}
  %broadcast.10 = f32[1,1]{{1,0}} broadcast(f32[1,1]{{1,0}} %reshape.9), dimensions={{0,1}}, metadata={{op_type="aten__expand" op_name="aten__expand"}}
  %reshape.11 = f32[] reshape(f32[1,1]{{1,0}} %broadcast.10), metadata={{op_type="aten__expand" op_name="aten__expand"}}
  %broadcast.12 = {0} broadcast(f32[] %reshape.11), dimensions={{}}, metadata={{op_type="aten__expand" op_name="aten__expand"}}
)",
      array);
  return fmt::format(
      R"(HloModule IrToHlo.21

%{4}.13 (p0.14: {0}, p1.15: {0}) -> {0} {{
  %p0.14 = {0} parameter(0)
  %custom-call.16 = {0} custom-call({0} %p0.14), custom_call_target="Sharding", sharding={1}
  %p1.15 = {0} parameter(1)
  %custom-call.17 = {0} custom-call({0} %p1.15), custom_call_target="Sharding", sharding={1}
  ROOT %{2}.18 = {0} {2}({0} %custom-call.16, {0} %custom-call.17){3}, sharding={1}
}}

ENTRY %IrToHlo.21 (p0.1: {0}, p1.7: {0}) -> ({0}) {{
{5}  %p1.7 = {0} parameter(1), metadata={{op_type="xla__device_data" op_name="xla__device_data"}}
  %p0.1 = {0} parameter(0), metadata={{op_type="xla__device_data" op_name="xla__device_data"}}
  %call.19 = {0} call({0} %p1.7, {0} %p0.1), to_apply=%{4}.13, metadata={{op_type="xla___op_{4}" op_name="xla___op_{4}"}}
  ROOT %tuple.20 = ({0}) tuple({0} %call.19)
}}
)",
      array, sharding, opcode, attributes, function, fills);
}

inline std::string sharded_matmul(const std::string& array = "f32[8192,8192]{1,0}") {
  return annotated_module("dot", ", lhs_contracting_dims={1}, rhs_contracting_dims={0}", array,
                          "{devices=[2,2]0,1,2,3}", "ShardedMatMul");
}
inline std::string sharded_multiply(const std::string& array = "f32[8192,16384]{1,0}") {
  return annotated_module("multiply", "", array, "{devices=[2,4]0,1,2,3,4,5,6,7}", "ShardedMultiply");
}
inline std::string sharded_add(const std::string& array = "f32[2,2]{1,0}") {
  return annotated_module("add", "", array, "{devices=[2,1]0,1}", "ShardedAddForwardWithCustomCall");
}

}  // namespace shardscope::testing
