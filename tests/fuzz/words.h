// SPDX-License-Identifier: Apache-2.0
// What the fuzzers' texts may hold beside what their corpora do.
#pragma once

#include <string_view>
#include <vector>

#include "engine/base/element_type.h"
#include "engine/program/ir/opcode.h"

namespace shardscope {

inline std::vector<std::string_view> with_names_of_types(std::vector<std::string_view> words) {
  for (int t = 0; t <= static_cast<int>(ElementType::opaque); ++t)
    words.emplace_back(name(static_cast<ElementType>(t)));
  return words;
}

inline std::vector<std::string_view> hlo_words() {
  std::vector<std::string_view> words = {
      ", sharding={replicated}",
      ", sharding={devices=[2,1]<=[2]}",
      ", sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
      ", sharding={mesh['a'=2,'b'=2], [{'a'}, {'b':(1)2}]}",
      ", sharding={{replicated}, {manual}}",
      ", metadata={op_name=\"a/b\" source_file=\"f.py\" source_line=7}",
      ", frontend_attributes={k=\"v\",xla.sdy.meshes={m = #sdy.mesh<[\"x\"=2]>}}",
      ", frontend_attributes={shardscope.step=\"3\",shardscope.algorithm=\"ring\"}",
      ", backend_config={\"a\":{\"b\":[1,2]}}",
      ", control-predecessors={%x}",
      ", channel_id=1",
      ", replica_groups={{0,1},{2,3}}",
      ", replica_groups=[2,2]<=[4]",
      ", use_global_device_ids=true",
      ", dimensions={0}",
      ", to_apply=%add",
      ", calls={ROOT r = f32[] constant(0)}",
      ", slice={[0:2:1], [0:4]}",
      ", window={size=2x2 stride=1x1 pad=0_0x1_1}",
      ", dim_labels=b01f_01io->b01f",
      ", source_target_pairs={{0,1},{1,0}}",
      ", operand_precision={highest,default}",
      ", origin={{\"v1\"}}",
      ", num_partitions=4",
      ", is_scheduled=true",
      ", entry_computation_layout={(f32[2]{0})->f32[2]{0}}",
      ", input_output_alias={ {0}: (0, {}, may-alias) }",
      "HloModule m\n",
      "ENTRY e {\n",
      "ROOT ",
      "/*index=5*/",
      "{...}",
      "#0",
      "<=",
      "-start",
      "-done",
      "[?,2]",
      "b(f32[2])",
      "{1,0:T(8,128)S(1)}",
  };
  for (const Operation& o : operations()) words.push_back(o.text);
  return with_names_of_types(std::move(words));
}

inline std::vector<std::string_view> shardy_words() {
  return {"<@m, [{\"x\"}, {}]>",
          "#sdy.sharding<@m, [{\"x\", \"y\":(1)2, ?}p1], replicated={\"z\"}>",
          "#sdy.sharding_per_value<[<@m, [{}]>]>",
          "mesh<[\"x\"=2]>",
          ", replicated={\"y\"}",
          ", unreduced={\"y\"}",
          ", unreduced=max{\"y\"}",
          "<[\"x\"=2, \"y\"=4], device_ids=[1, 0]>",
          "<[], device_ids=[3]>",
          "\"x\":(2)2",
          "?",
          "p0",
          "@m"};
}

inline std::vector<std::string_view> mlir_words() {
  std::vector<std::string_view> words = shardy_words();
  for (const std::string_view more :
       {"sdy.mesh @m = <[\"x\"=2, \"y\"=4]>\n",
        "func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> {\n return %a : tensor<2xf32>\n}\n",
        " {sdy.sharding = #sdy.sharding<@m, [{\"x\"}, {}]>}",
        " {mhlo.sharding = \"{devices=[2,1]<=[2]}\"}",
        " loc(\"a\"(\"f.py\":7:6 to :30))",
        " loc(callsite(unknown at fused[unknown]))",
        "stablehlo.while(%i = %c) : tensor<i32> cond {\n} do {\n}\n",
        "\"stablehlo.all_reduce\"(%0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({\n}) : "
        "(tensor<2xf32>) -> tensor<2xf32>\n",
        "sdy.manual_computation(%0) in_shardings=[<@m, [{\"x\"}]>] out_shardings=[<@m, [{\"x\"}]>] "
        "manual_axes={\"x\"} (%b: tensor<1xf32>) {\n sdy.return %b : tensor<1xf32>\n} : (tensor<2xf32>) -> "
        "tensor<2xf32>\n",
        "func.call @f(%0) : (tensor<2xf32>) -> tensor<2xf32>\n",
        "dense<0.0>",
        "dense<\"0x0000803F\">",
        "dense<[[1, 2], [3, 4]]>",
        "array<i64: 0, 1>",
        "tensor<2x4xf32>",
        "tensor<f8E4M3FN>",
        "complex<f32>",
        "tuple<tensor<f32>, tensor<i1>>",
        "!stablehlo.token",
        "stablehlo.add",
        "stablehlo.dot_general",
        "stablehlo.reduce",
        "stablehlo.case",
        "stablehlo.custom_call",
        "stablehlo.return",
        "return",
        "contracting_dims = [1] x [0]",
        "applies stablehlo.add across dimensions = [1]",
        "^bb0(%x: tensor<f32>):",
        "#loc1 = loc(unknown)\n",
        "!t = tensor<2xf32>\n",
        "%0:2",
        "%0#1",
        "chlo.top_k",
        "->",
        "attributes {}"})
    words.push_back(more);
  return words;
}

}  // namespace shardscope
