// SPDX-License-Identifier: Apache-2.0
// Texts in the forms in which the compiler writes them: read and printed they are the same, blanks aside.
#include <cctype>
#include <gtest/gtest.h>
#include <string>

#include "engine/program/text/hlo_text.h"

namespace shardscope::hlo_round_trip_test {
namespace {

std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (std::isspace(static_cast<unsigned char>(c)) == 0) out += c;
  return out;
}

// An optimised module with shapes at operands: aliases, layouts in tiles and memory spaces, an order that
// is not that of parameters, strides, groups of both kinds, pairs that are asynchronous.
constexpr const char* kScheduled =
    R"hlo(HloModule jit_step.12, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, must-alias) }, buffer_donor={ (2, {}) }, entry_computation_layout={(bf16[8,16]{1,0:T(8,128)(2,1)}, f32[], s32[4]{0})->(bf16[8,16]{1,0}, f32[])}, allow_spmd_sharding_propagation_to_parameters={true,true,false}, allow_spmd_sharding_propagation_to_output={true}, num_partitions=8, frontend_attributes={fingerprint_before_lhs="ab12",xla.sdy.meshes={mesh = #sdy.mesh<["x"=4, "y"=2]>}}

FileNames
1 "/home/u/step.py"

FunctionNames
1 "loss"

FileLocations
1 {file_name_id=1 function_name_id=1 line=12 end_line=12 column=4 end_column=20}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

%region_0.7 (Arg_0.8: f32[], Arg_1.9: f32[]) -> f32[] {
  %Arg_1.9 = f32[] parameter(1)
  %Arg_0.8 = f32[] parameter(0)
  ROOT %add.10 = f32[] add(f32[] %Arg_0.8, f32[] %Arg_1.9), metadata={op_name="jit(step)/reduce_sum"}
}

%fused_computation (param_0.1: bf16[8,16], param_1.2: s32[]) -> bf16[4,8] {
  %param_0.1 = bf16[8,16]{1,0:T(8,128)(2,1)S(1)} parameter(0)
  %param_1.2 = s32[]{:T(128)} parameter(1)
  %constant.3 = s32[]{:T(128)} constant(0)
  %dynamic-slice.4 = bf16[8,8]{1,0} dynamic-slice(bf16[8,16]{1,0:T(8,128)(2,1)S(1)} %param_0.1, s32[]{:T(128)} %param_1.2, s32[]{:T(128)} %constant.3), dynamic_slice_sizes={8,8}
  ROOT %slice.5 = bf16[4,8]{1,0} slice(bf16[8,8]{1,0} %dynamic-slice.4), slice={[0:8:2], [0:8:1]}
}

ENTRY %main.30_spmd (param.1: bf16[8,16], param.2: f32[], param.3: s32[4]) -> (bf16[8,16], f32[]) {
  %param.2 = f32[] parameter(1), sharding={replicated}, metadata={op_type="parameter" op_name="lr"}
  %param.1 = bf16[8,16]{1,0:T(8,128)(2,1)} parameter(0), sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}, frontend_attributes={bare={a, {b}},xla.sdy.sharding="#sdy.sharding<@mesh, [{\"x\"}, {}]>"}, metadata={op_name="args[0][\'w\']" source_file="/home/u/step.py" source_line=7 source_end_line=7 source_column=4 source_end_column=19}
  %param.3 = s32[4]{0} parameter(2), parameter_replication={false}, sharding={devices=[4,2]0,1,2,3,4,5,6,7 last_tile_dim_replicate}
  %constant.6 = s32[2,2]{1,0} constant({ { 0, 1 }, { 2, 3 } })
  %partition-id.9 = u32[] partition-id(), metadata={op_name="jit(step)/\303\274ber" stack_frame_id=1}
  %convert.11 = s32[]{:T(128)} convert(u32[] %partition-id.9)
  %fusion = bf16[4,8]{1,0} fusion(bf16[8,16]{1,0:T(8,128)(2,1)} %param.1, s32[]{:T(128)} %convert.11), kind=kLoop, output_to_operand_aliasing={{}: (0, {})}, calls=%fused_computation, backend_config={"window_config":{"kernel_window_bounds":[]},"used_scoped_memory_configs":[]}
  %all-gather-start.1 = (bf16[4,8]{1,0}, bf16[8,8]{1,0}) all-gather-start(bf16[4,8]{1,0} %fusion), channel_id=3, replica_groups=[4,2]<=[8], dimensions={0}, use_global_device_ids=true, metadata={op_name="jit(step)/all_gather" source_file="/home/u/step.py" source_line=12}
  %all-gather-done.1 = bf16[8,8]{1,0} all-gather-done((bf16[4,8]{1,0}, bf16[8,8]{1,0}) %all-gather-start.1)
  %dot.3 = bf16[8,16]{1,0} dot(bf16[8,8]{1,0} %all-gather-done.1, bf16[8,16]{1,0:T(8,128)(2,1)} %param.1), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={highest,highest}
  %reduce-scatter.2 = bf16[2,16]{1,0} reduce-scatter(bf16[8,16]{1,0} %dot.3), channel_id=4, replica_groups=[2,4]<=[4,2]T(1,0), use_global_device_ids=true, dimensions={0}, to_apply=%region_0.7
  %collective-permute.5 = bf16[2,16]{1,0} collective-permute(bf16[2,16]{1,0} %reduce-scatter.2), channel_id=5, source_target_pairs={{0,2},{2,4},{4,6},{6,0}}
  %all-reduce.8 = f32[] all-reduce(f32[] %param.2), channel_id=6, replica_groups={{0,1,2,3},{4,5,6,7}}, use_global_device_ids=true, to_apply=%region_0.7, frontend_attributes={k="v"}, control-predecessors={%dot.3, %all-gather-done.1}, metadata={op_type="psum" op_name="jit(step)/psum"}, backend_config={"flag_configs":[]}
  %custom-call.3 = bf16[8,16]{1,0} custom-call(bf16[2,16]{1,0} %collective-permute.5, bf16[8,16]{1,0:T(8,128)(2,1)} %param.1), custom_call_target="a\"b", operand_layout_constraints={bf16[2,16]{1,0}, bf16[8,16]{1,0}}, custom_call_has_side_effect=true, api_version=API_VERSION_STATUS_RETURNING, called_computations={%region_0.7}, metadata={op_name="x"}, backend_config="a=1, {b}"
  ROOT %tuple.31 = (bf16[8,16]{1,0}, f32[]) tuple(bf16[8,16]{1,0} %custom-call.3, f32[] %all-reduce.8)
}
)hlo";

// The same compiler a year later: names alone at operands.
constexpr const char* kNamesOnly =
    R"hlo(HloModule jit_f, is_scheduled=true, entry_computation_layout={(f32[4,6]{1,0}, pred[])->f32[4]{0}}

%region_1.2 (a.3: f32[], b.4: f32[]) -> f32[] {
  %a.3 = f32[] parameter(0)
  %b.4 = f32[] parameter(1)
  ROOT %maximum.5 = f32[] maximum(%a.3, %b.4)
}

%compare.20 (p.21: f32[], q.22: f32[], i.23: s32[], j.24: s32[]) -> pred[] {
  %p.21 = f32[] parameter(0)
  %q.22 = f32[] parameter(1)
  %i.23 = s32[] parameter(2)
  %j.24 = s32[] parameter(3)
  ROOT %compare.25 = pred[] compare(%p.21, %q.22), direction=GT, type=TOTALORDER
}

%yes.6 (t.7: (f32[4,6], f32[])) -> f32[4] {
  %t.7 = (f32[4,6]{1,0}, f32[]) parameter(0)
  %get-tuple-element.8 = f32[4,6]{1,0} get-tuple-element(%t.7), index=0
  %get-tuple-element.9 = f32[] get-tuple-element(%t.7), index=1
  ROOT %reduce.10 = f32[4]{0} reduce(%get-tuple-element.8, %get-tuple-element.9), dimensions={1}, to_apply=%region_1.2
}

ENTRY %main.40 (Arg_0.1: f32[4,6], Arg_1.2: pred[]) -> f32[4] {
  %Arg_0.1 = f32[4,6]{1,0} parameter(0), metadata={op_name="x"}
  %Arg_1.2 = pred[] parameter(1)
  %constant.11 = f32[] constant(-inf)
  %tuple.12 = (f32[4,6]{1,0}, f32[]) tuple(%Arg_0.1, %constant.11)
  %iota.13 = s32[4,6]{1,0} iota(), iota_dimension=1
  %sort.14 = (f32[4,6]{1,0}, s32[4,6]{1,0}) sort(%Arg_0.1, %iota.13), dimensions={1}, is_stable=true, to_apply=%compare.20
  %pad.15 = f32[6,9]{1,0} pad(%Arg_0.1, %constant.11), padding=1_1_0x0_-2_1
  %broadcast.16 = f32[4,6]{1,0} broadcast(%constant.11), dimensions={}
  %transpose.17 = f32[6,4]{0,1} transpose(%broadcast.16), dimensions={1,0}
  %reduce-window.18 = f32[4,3]{1,0} reduce-window(%Arg_0.1, %constant.11), window={size=1x2 stride=1x2}, to_apply=%region_1.2
  %six.19 = (f32[4,6]{1,0}, f32[6,4]{0,1}, f32[], f32[6,9]{1,0}, f32[4,3]{1,0}, /*index=5*/pred[]) tuple(%broadcast.16, %transpose.17, %constant.11, %pad.15, %reduce-window.18, /*index=5*/%Arg_1.2)
  %copy-start.26 = (f32[4,6]{1,0:S(1)}, f32[4,6]{1,0}, u32[]) copy-start(%Arg_0.1), cross_program_prefetch_index=0
  %copy-done.27 = f32[4,6]{1,0:S(1)} copy-done(%copy-start.26)
  ROOT %conditional.28 = f32[4]{0} conditional(%Arg_1.2, %tuple.12, %tuple.12), true_computation=%yes.6, false_computation=%yes.6
}
)hlo";

// As dumps of passes and JAX's own printer: neither '%' nor signatures.
constexpr const char* kBareDump =
    R"hlo(HloModule jit_g, entry_computation_layout={(f32[2,8,4]{2,1,0}, s32[3,1]{1,0})->f32[3,8,4]{2,1,0}}, num_partitions=2

add.1 {
  x.2 = f32[] parameter(0)
  y.3 = f32[] parameter(1)
  ROOT add.4 = f32[] add(x.2, y.3)
}

cond.5 {
  state.6 = (s32[], f32[2,8,4]{2,1,0}) parameter(0)
  i.7 = s32[] get-tuple-element(state.6), index=0
  n.8 = s32[] constant(3)
  ROOT lt.9 = pred[] compare(i.7, n.8), direction=LT
}

body.10 {
  state.11 = (s32[], f32[2,8,4]{2,1,0}) parameter(0)
  i.12 = s32[] get-tuple-element(state.11), index=0
  one.13 = s32[] constant(1)
  next.14 = s32[] add(i.12, one.13)
  h.15 = f32[2,8,4]{2,1,0} get-tuple-element(state.11), index=1
  tanh.16 = f32[2,8,4]{2,1,0} tanh(h.15), result_accuracy={mode=highest}
  ROOT tuple.17 = (s32[], f32[2,8,4]{2,1,0}) tuple(next.14, tanh.16)
}

ENTRY main.18 {
  Arg_0.19 = f32[2,8,4]{2,1,0} parameter(0), sharding={devices=[2,1,1]<=[2]}
  Arg_1.20 = s32[3,1]{1,0} parameter(1), sharding={replicated}
  zero.21 = s32[] constant(0)
  tuple.22 = (s32[], f32[2,8,4]{2,1,0}) tuple(zero.21, Arg_0.19)
  while.23 = (s32[], f32[2,8,4]{2,1,0}) while(tuple.22), condition=cond.5, body=body.10, backend_config={"known_trip_count":{"n":"3"}}
  h.24 = f32[2,8,4]{2,1,0} get-tuple-element(while.23), index=1
  gather.25 = f32[3,8,4]{2,1,0} gather(h.24, Arg_1.20), offset_dims={1,2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,8,4}, indices_are_sorted=true
  scatter.26 = f32[2,8,4]{2,1,0} scatter(h.24, Arg_1.20, gather.25), update_window_dims={1,2}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, to_apply=add.1
  dot.27 = f32[2,8,8]{2,1,0} dot(scatter.26, h.24), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={2}
  key.28 = u64[2]{0} constant({1, 2})
  rng-bit-generator.29 = (u64[2]{0}, u32[4]{0}) rng-bit-generator(key.28), algorithm=rng_philox
  call.30 = f32[] call(x.31, x.31), to_apply=add.1, is_composite=true, frontend_attributes={composite.name="my.add"}
  ROOT custom-call.32 = f32[3,8,4]{2,1,0} custom-call(gather.25), custom_call_target="Sharding", sharding={devices=[1,2,1]<=[2]}, metadata={op_name="jit(g)/sharding_constraint" source_file="g.py" source_line=3}
}
)hlo";

std::string bare_dump() {  // a constant that the call reads
  std::string text = kBareDump;
  return text.replace(text.find("  call.30"), 0, "  x.31 = f32[] constant(1)\n");
}

void expect_same(const std::string& text) {
  const auto program = parse_program(text, "f.hlo");
  ASSERT_TRUE(program.ok()) << program.error().text();
  const std::string printed = print_program(*program, form_of(text));
  EXPECT_EQ(without_blanks(printed), without_blanks(text)) << printed;
  const auto again = parse_program(printed);
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_EQ(*again, *program);
}

TEST(HloRoundTrip, AScheduledModuleWithShapesAtOperands) {
  EXPECT_EQ(form_of(kScheduled), (HloForm{true, true, true, false}));
  expect_same(kScheduled);
}

TEST(HloRoundTrip, NamesAloneAtOperands) {
  EXPECT_EQ(form_of(kNamesOnly), (HloForm{true, true, false, true}));
  expect_same(kNamesOnly);
}

TEST(HloRoundTrip, ADumpWithoutSigilsAndSignatures) {
  EXPECT_EQ(form_of(bare_dump()), (HloForm{false, false, false, false}));
  expect_same(bare_dump());
}

TEST(HloRoundTrip, GroupsAlongNamedAxesAndAScan) {
  const std::string text =
      "HloModule m, num_partitions=4\n\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = "
      "f32[] add(a, b)\n  ROOT t = (f32[], f32[]) tuple(c, c)\n}\n\nadd {\n  a = f32[] parameter(0)\n  b = "
      "f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n\nENTRY e {\n  x = f32[4]{0} parameter(0)\n  z = "
      "f32[] constant(0)\n  y = f32[4]{0} all-reduce(x), replica_groups=mesh['a'=2,'b'=2] {'b'}, "
      "to_apply=add\n  w = f32[4]{0} all-reduce(y), replica_groups=mesh[a=4] {a:(1)2}, to_apply=add\n  ROOT "
      "s "
      "= (f32[4]{0}, f32[]) scan(w, z), dimensions={0}, num_carries=1, is_reverse=true, "
      "is_associative=true, to_apply=sum\n}\n";
  expect_same(text);
  // Other groups than the ones that were written are printed as what they are.
  Program program = *parse_program(text);
  program.computations[2].instructions[2].replica_groups.edit().tiles = *parse_tile_assignment("[1,4]<=[4]");
  EXPECT_NE(print_program(program).find("replica_groups=[1,4]<=[4]"), std::string::npos);
}

TEST(HloRoundTrip, AttributesThatCameInAnotherOrderArePrintedInTheCompilers) {
  const auto program = parse_program(
      "HloModule m, num_partitions=2, is_scheduled=true\nadd {\n  a = f32[] parameter(0)\n  b = f32[] "
      "parameter(1)\n  ROOT c = f32[] add(a, b)\n}\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] "
      "all-reduce(x), metadata={op_name=\"n\"}, to_apply=add, sharding={replicated}, "
      "use_global_device_ids=true, "
      "replica_groups={{0,1}}, new_key=7, channel_id=1\n}\n");
  ASSERT_TRUE(program.ok()) << program.error().text();
  const std::string text = print_program(*program, HloStyle::bare);
  EXPECT_NE(text.find("HloModule m, is_scheduled=true, num_partitions=2\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find("all-reduce(x), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, new_key=7, "
                "to_apply=add, sharding={replicated}, metadata={op_name=\"n\"}\n"),
      std::string::npos)
      << text;
}

// The name that is ours is printed behind the type, wherever it stood.
TEST(HloRoundTrip, WhatSeparatesEntriesOfMetadataStays) {
  for (const char* entries :
       {R"(op_name="n" op_type="t" , other=1)", R"(op_type="t" op_name="n",op_type="u")",
        R"(op_type="t",op_name="n"  op_type="u" op_name="m")", R"(op_type="t", op_name="n")",
        R"(op_type="t"other=1 op_name="n")"}) {
    const auto read = parse_program("ENTRY e {\n ROOT p = f32[2] parameter(0), metadata={" +
                                    std::string(entries) + "}\n}\n");
    ASSERT_TRUE(read.ok()) << entries;
    const std::string text = print_program(*read);
    const auto again = parse_program(text);
    ASSERT_TRUE(again.ok()) << text;
    EXPECT_EQ(print_program(*again), text);
    EXPECT_TRUE(*again == *read) << text;
  }
}

TEST(HloRoundTrip, WhatIsNeededIsPrintedThoughItIsEmpty) {
  for (const char* operation :
       {"reverse(x), dimensions={}", "all-gather(x), dimensions={}, replica_groups={}"}) {
    const auto read = parse_program("ENTRY e {\n x = f32[2] parameter(0)\n ROOT y = f32[2] " +
                                    std::string(operation) + "\n}\n");
    ASSERT_TRUE(read.ok()) << read.error().text();
    const auto again = parse_program(print_program(*read));
    ASSERT_TRUE(again.ok()) << again.error().text();
    EXPECT_TRUE(*again == *read) << print_program(*read);
  }
}

TEST(HloRoundTrip, AShardingIsPrintedAsItCameUntilItIsAnother) {
  const std::string text =
      "HloModule m, num_partitions=4\nENTRY e {\n  ROOT x = f32[4,4] parameter(0), "
      "sharding={devices=[2,2]0,1,2,3}\n}\n";
  auto program = parse_program(text);
  ASSERT_TRUE(program.ok()) << program.error().text();
  EXPECT_EQ(without_blanks(print_program(*program, HloStyle::bare)), without_blanks(text));
  program->computations[0].instructions[0].sharding = *HloSharding::parse("{devices=[4,1]<=[4]}");
  EXPECT_NE(print_program(*program).find("sharding={devices=[4,1]<=[4]}"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::hlo_round_trip_test
