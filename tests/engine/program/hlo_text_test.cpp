// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <random>

#include "engine/program/ir/program.h"

namespace shardscope::hlo_text_test {
namespace {

constexpr const char* kEveryAttribute =
    R"hlo(HloModule wang.os, is_scheduled=true, entry_computation_layout={(f32[4,8]{1,0})->f32[8,8]{1,0}}, num_partitions=8, frontend_attributes={shardscope.mesh="row=2,col=4",shardscope.wrap="row",shardscope.device_order="0,1,2,3,4,5,7,6",shardscope.inputs="lhs [8,32] P('row','col'); rhs transposed [8,8] P(None,('row','col')) unreduced=row",shardscope.output="product [16,32] P('row','col')",shardscope.choice.slices="8",xla.sdy.meshes={mesh = <["x"=2]>}}

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(f32[] %a, f32[] %b)
}

%body (p: (s32[], f32[4,8])) -> (s32[], f32[4,8]) {
  ROOT %p = (s32[], f32[4,8]) parameter(0)
}

%cond (p.1: (s32[], f32[4,8])) -> pred[] {
  %p.1 = (s32[], f32[4,8]) parameter(0)
  ROOT %yes = pred[] constant(true)
}

ENTRY %main (x: f32[4,8], w: bf16[8,1]) -> f32[8,8] {
  %x = f32[4,8]{1,0:T(8,128)} parameter(0), sharding={devices=[2,4]<=[8]}
  %w = bf16[8,1] parameter(1), sharding={replicated}
  %id = u32[] partition-id()
  %zero = s32[] constant(0)
  %table = s32[8] constant({0, 1, 2, 3, 4, 5, 6, 7})
  %init = f32[] constant(-inf)
  %ramp = s32[4,8] iota(), iota_dimension=1
  %ag = f32[16,8] all-gather(f32[4,8]{1,0:T(8,128)} %x), channel_id=1, replica_groups=[2,4]<=[8], dimensions={0}, use_global_device_ids=true, frontend_attributes={shardscope.step="3",shardscope.algorithm="ring",mine="a, \"b\""}, metadata={op_type="AllGather" op_name="gather W over row" source_line=12}
  %ar = f32[16,8] all-reduce(f32[16,8] %ag), channel_id=2, replica_groups={}, to_apply=%sum
  %rs = f32[4,8] reduce-scatter(f32[16,8] %ar), replica_groups={{0,3,4,6},{1,2,5,7}}, dimensions={0}, to_apply=%sum
  %ar.1 = f32[4,8] all-reduce(f32[4,8] %rs), replica_groups={{0,1,2},{3,4,5,6,7}}, to_apply=%sum
  %cp = f32[4,8] collective-permute(f32[4,8] %ar.1), channel_id=4, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}
  %sl = f32[2,4] slice(f32[4,8] %cp), slice={[0:4:2], [4:8:1]}
  %ds = f32[2,4] dynamic-slice(f32[4,8] %cp, s32[] %zero, s32[] %zero), dynamic_slice_sizes={2,4}
  %cmp = pred[2,4] compare(f32[2,4] %sl, f32[2,4] %ds), direction=LT
  %d = f32[8,8] dot(f32[4,8] %cp, f32[4,8] %rs), lhs_contracting_dims={0}, rhs_contracting_dims={0}, operand_precision={highest,highest}
  %bd = f32[4,8,8] dot(f32[4,8] %cp, f32[4,8] %rs), lhs_batch_dims={0}, lhs_contracting_dims={}, rhs_batch_dims={0}, rhs_contracting_dims={}
  %red = f32[] reduce(f32[4,8] %cp, f32[] %init), dimensions={0,1}, to_apply=%sum
  %br = f32[4,8] broadcast(f32[] %red), dimensions={}
  %tr = f32[8,4] transpose(f32[4,8] %br), dimensions={1,0}
  %six = (f32[4,8], f32[8,4], f32[], f32[8,8], pred[2,4], /*index=5*/f32[2,4]) tuple(f32[4,8] %br, f32[8,4] %tr, f32[] %red, f32[8,8] %d, pred[2,4] %cmp, /*index=5*/f32[2,4] %ds)
  %gte = f32[8,4] get-tuple-element((f32[4,8], f32[8,4], f32[], f32[8,8], pred[2,4], /*index=5*/f32[2,4]) %six), index=1
  %pair = (s32[], f32[4,8]) tuple(s32[] %zero, f32[4,8] %cp)
  %loop = (s32[], f32[4,8]) while((s32[], f32[4,8]) %pair), condition=%cond, body=%body
  %pick = f32[] conditional(s32[] %zero, f32[] %red, f32[] %red), branch_computations={%sum, %sum}
  %cc = f32[4,8] custom-call(f32[4,8]{1,0:T(8,128)} %x), custom_call_target="Sharding", sharding={{replicated},{manual}}, backend_config={"a":[1,{"b":2}]}
  %odd = token[] set-dimension-size(f32[4,8] %cc), flag, control-predecessors={%cc}
  ROOT %out = f32[8,8] copy(f32[8,8] %d)
}
)hlo";

Program parsed(std::string_view text) {
  auto program = parse_program(text);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? *program : Program();
}

TEST(HloText, ReadsAndPrintsEveryAttributeAsItWas) {
  const Program program = parsed(kEveryAttribute);
  EXPECT_EQ(print_program(program), kEveryAttribute);
  EXPECT_EQ(parsed(print_program(program)), program);
}

TEST(HloText, KeepsWhatShardscopeKnowsOfAModule) {
  const Program p = parsed(kEveryAttribute);
  EXPECT_EQ(p.mesh.text(), "row=2,col=4");
  EXPECT_TRUE(p.mesh.axes()[0].wrap);
  EXPECT_FALSE(p.mesh.axes()[1].wrap);
  EXPECT_EQ(p.mesh.chip_of(DeviceId(6)), 7);
  ASSERT_EQ(p.inputs.size(), 2u);
  EXPECT_TRUE(p.inputs[1].transposed);
  EXPECT_EQ(p.inputs[1].unreduced, std::vector<std::string>{"row"});
  ASSERT_TRUE(p.output.has_value());
  EXPECT_EQ(p.output->role, ArrayRole::product);
  EXPECT_EQ(p.choices.at(0), std::pair(std::string("slices"), std::string("8")));
  const Computation& entry = p.entry_computation();
  const Instruction& gather = entry.instructions[7];
  EXPECT_EQ(gather.provenance, (Provenance{3, "gather W over row"}));
  EXPECT_EQ(gather.algorithm, "ring");
  EXPECT_EQ(gather.replica_groups->tiles.dims, (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(entry.instructions[10].replica_groups->ragged.size(), 2u);
  EXPECT_EQ(entry.instructions[0].shape.layout, "1,0:T(8,128)");
}

TEST(HloText, KeepsSeveralOutputsWithTheirDefinitions) {
  constexpr const char* kChain =
      R"hlo(HloModule chain, num_partitions=2, frontend_attributes={shardscope.mesh="t=2",shardscope.inputs="lhs [4,8] P('t',None); operand [8,2] P(None,None) symbol=W1",shardscope.output="product [4,2] P('t',None)",shardscope.further_outputs="result [4,8] P('t',None) symbol=dX; result transposed [2,8] P(None,None) unreduced=t symbol=dW",shardscope.definitions="Y[m,f] = X[m,k] W1[k,f]; dX[m,k] = Y[m,f] W1[k,f]; dW[k,f] = X[m,k] Y[m,f]"}

ENTRY %main (x: f32[2,8], w: f32[8,2]) -> (f32[2,2], f32[2,8], f32[2,8]) {
  %x = f32[2,8] parameter(0)
  %w = f32[8,2] parameter(1)
  %y = f32[2,2] dot(f32[2,8] %x, f32[8,2] %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  %dx = f32[2,8] dot(f32[2,2] %y, f32[8,2] %w), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  %dw = f32[2,8] dot(f32[2,2] %y, f32[2,8] %x), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  ROOT %all = (f32[2,2], f32[2,8], f32[2,8]) tuple(f32[2,2] %y, f32[2,8] %dx, f32[2,8] %dw)
}
)hlo";
  Program p = parsed(kChain);
  EXPECT_EQ(print_program(p), kChain);
  ASSERT_EQ(outputs_of(p).size(), 3u);
  EXPECT_EQ(symbol_of(outputs_of(p)[0]), "Y");
  EXPECT_EQ(symbol_of(outputs_of(p)[2]), "dW");
  EXPECT_EQ(symbol_of(p.inputs[1]), "W1");
  EXPECT_EQ(p.definitions.at(2), "dW[k,f] = X[m,k] Y[m,f]");
  EXPECT_TRUE(verify(p).ok());
  p.further_outputs.pop_back();
  ASSERT_FALSE(verify(p).ok());
  EXPECT_EQ(
      verify(p).error().text(),
      "2 outputs described, expected a tuple of as many, got (f32[2,2], f32[2,8], f32[2,8]); program chain");
}

TEST(HloText, ReadsTheBareStyle) {
  const Program p = parsed(R"(HloModule IrToHlo.11

// a comment
sharded_jit_f.4 {
  p.5 = f32[2]{0} parameter(0)
  ROOT n.6 = f32[2]{0} negate(p.5)
}

ENTRY IrToHlo.11 {
  p0.1 = f32[2]{0} parameter(0)
  call.2 = f32[2]{0} call(p0.1), to_apply=sharded_jit_f.4
  ROOT tuple.3 = (f32[2]{0}, f32[2]{0}) tuple(call.2, /*index=1*/p0.1)
}
)");
  ASSERT_EQ(p.computations.size(), 2u);
  EXPECT_EQ(p.entry.value, 1);
  EXPECT_EQ(p.entry_computation().root_instruction().operands.size(), 2u);
  EXPECT_EQ(p.entry_computation().instructions[1].called->at(0).computation.value, 0);
  EXPECT_EQ(parsed(print_program(p)), p);
}

TEST(HloText, TheLastComputationIsTheEntryWhenNoneIsMarked) {
  const Program p =
      parsed("HloModule m\na { ROOT x = f32[] constant(1) }\nb { ROOT y = f32[] constant(2) }\n");
  EXPECT_EQ(p.entry.value, 1);
}

TEST(HloText, AForeignModuleGetsOneAxisOfItsPartitions) {
  EXPECT_EQ(parsed("HloModule m, num_partitions=4\nENTRY a { ROOT x = f32[] constant(1) }").mesh.text(),
            "device=4");
}

TEST(HloText, SkipsTablesOfSourceLocations) {
  const Program p = parsed(
      "HloModule m\n\nFileNames\n1 \"a.py\"\n2 \"b.py\"\n\nStackFrames\n1 {file_location_id=1}\n\n"
      "ENTRY a { ROOT x = f32[] constant(1), metadata={stack_frame_id=1} }");
  EXPECT_EQ(p.entry_computation().instructions[0].verbatim->at(0).value, "{stack_frame_id=1}");
}

struct BadText {
  const char* text;
  const char* error;
};

TEST(HloText, ErrorsSayWhereAndWhatWasExpected) {
  const BadText cases[] = {
      {"",
       "got end of text, expected 'HloModule'; f.hlo:1:1; give HLO or StableHLO, as a compiler printed it"},
      {"HloModul m",
       "got 'HloModul', expected 'HloModule'; f.hlo:1:1; give HLO or StableHLO, as a compiler printed it"},
      {"HloModule m\n", "got end of text, expected a computation; f.hlo:2:1"},
      {"HloModule m, num_partitions=0\n", "num_partitions=0, expected 1 to 2^20; f.hlo:1:12"},
      {"HloModule m\nENTRY e {\n  x = f33[2] parameter(0)\n}",
       "got 'f33', expected a shape such as f32[16,4]; f.hlo:3:7"},
      {"HloModule m\nENTRY e {\n  x = f32[2 parameter(0)\n}", "got 'parameter', expected ']'; f.hlo:3:13"},
      {"HloModule m\nENTRY e {\n  x = f32[-2] parameter(0)\n}", "dimension -2 is negative; f.hlo:3:11"},
      {"HloModule m\nENTRY e {\n  x = f32[2] negate(y)\n}",
       "got operand 'y', expected an instruction defined above; f.hlo:3:21"},
      {"HloModule m\nENTRY e {\n  x = f32[] constant(1)\n  x = f32[] constant(1)\n}",
       "instruction 'x' is defined twice; f.hlo:4:3"},
      {"HloModule m\nENTRY e {\n  x = f32[] call(), to_apply=g\n}",
       "to_apply: got 'g', expected a computation defined above; f.hlo:3:30"},
      {"HloModule m\nENTRY e {\n  x = f32[] constant(1), a={[}\n}", "got '}', expected ']'; f.hlo:3:30"},
      {"HloModule m\nENTRY e {\n  x = f32[] constant(1), a=\"b\n}",
       "string without closing '\"'; f.hlo:3:28"},
      {"HloModule m\nENTRY e {\n  x = f32[] constant(1)",
       "got end of text, expected an instruction or '}'; f.hlo:3:24"},
      {"HloModule m\nENTRY e {\n}", "computation 'e' has no instructions; f.hlo:2:7"},
      {"HloModule m\nENTRY e { ROOT x = f32[] constant(1)\n  ROOT y = f32[] constant(1) }",
       "a second ROOT, expected one; f.hlo:3:3"},
      {"HloModule m, num_partitions=2\nENTRY e {\n  x = f32[] parameter(0)\n"
       "  y = f32[] collective-permute(x), source_target_pairs={{0,1,2}}\n}",
       "got 3 numbers, expected a pair; f.hlo:4:57"},
      {"HloModule m, num_partitions=4, frontend_attributes={shardscope.mesh=\"x=2\"}\n",
       "num_partitions=4, expected 2, the devices of mesh x=2; f.hlo:1:12"},
      {"HloModule m\nENTRY e {\n  x = f32[] constant(1), frontend_attributes={shardscope.step=\"two\"}\n}",
       "step 'two', expected a number from 0; f.hlo:3:63"},
  };
  for (const BadText& c : cases) {
    const auto program = parse_program(c.text, "f.hlo");
    ASSERT_FALSE(program.ok()) << c.text;
    EXPECT_EQ(program.error().text(), c.error);
  }
}

TEST(HloText, RefusesTuplesNestedTooDeep) {
  const auto shape = Shape::parse(std::string(5000, '('));
  ASSERT_FALSE(shape.ok());
  EXPECT_NE(shape.error().text().find("nested at most 32 deep"), std::string::npos);
}

TEST(HloText, DamagedTextIsAnErrorOrAProgramButNeverACrash) {
  std::mt19937 random(20240607);
  const std::string whole = kEveryAttribute;
  const std::string marks = "(){}[]<>=,\"%/*-0 9aT\n\\\x80";
  int readable = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string text = whole;
    for (int edits = 1 + static_cast<int>(random() % 4); edits > 0; --edits) {
      const size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = marks[random() % marks.size()];
          break;
        case 1:
          text.erase(at, 1 + random() % 8);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 20));
          break;
        default:
          text.resize(std::max<size_t>(at, 1));
          break;
      }
      if (text.empty()) text = "x";
    }
    const auto program = parse_program(text);
    if (!program.ok()) {
      EXPECT_FALSE(program.error().where.empty());
      continue;
    }
    ++readable;
    (void)verify(*program);
    const auto again = parse_program(print_program(*program));
    ASSERT_TRUE(again.ok()) << again.error().text() << "\n" << print_program(*program);
    EXPECT_EQ(*again, *program);
  }
  EXPECT_GT(readable, 0);
}

TEST(ShapeText, RoundTrips) {
  for (const char* text : {"f32[]", "bf16[16,4]{1,0}", "s32[2]{0:T(256)}", "(f32[2], s32[])", "()",
                           "pred[0,3]", "((f32[1]), token[])", "f8e4m3fn[4]{0:S(1)}"}) {
    const auto shape = Shape::parse(text);
    ASSERT_TRUE(shape.ok()) << shape.error().text();
    EXPECT_EQ(shape->text(), text);
  }
  EXPECT_EQ(Shape::parse("(f32[2,3], s8[5])")->bytes(), 29);
}

// A shape that was read before is not read again, whatever stands around it.
TEST(HloText, ShapesAreReadHoweverTheyAreSpaced) {
  const auto module = parse_program(
      "HloModule m\nENTRY e {\n  a = f32[2]{0} parameter(0)\n  b = f32[2] negate(f32[2]{0}%a)\n"
      "  c = f32[2] {0} add(f32[2] {0} %a,f32[2]b)\n  d =f32[2]{0}add(f32[2]{0} a,f32[2] %b)\n"
      "  t = (f32[2]{0},f32[2]) tuple(f32[2]{0}d,f32[2]b)\n"
      "  u = ( f32[2]{0}, f32[2] ) copy((f32[2]{0},f32[2])t)\n"
      "  ROOT g = f32[2] get-tuple-element((f32[2]{0},\n    f32[2]) %u), index=1\n}\n");
  ASSERT_TRUE(module.ok()) << module.error().text();
  std::vector<std::string> shapes;
  for (const Instruction& i : module->entry_computation().instructions) shapes.push_back(i.shape.text());
  EXPECT_EQ(shapes, (std::vector<std::string>{"f32[2]{0}", "f32[2]", "f32[2]{0}", "f32[2]{0}",
                                              "(f32[2]{0}, f32[2])", "(f32[2]{0}, f32[2])", "f32[2]"}));
  EXPECT_FALSE(parse_program("HloModule m\nENTRY e {\n  a = f32[2] parameter(0)\n"
                             "  ROOT b = f32[2] negate(f32[2]x %a)\n}\n")
                   .ok());
}

}  // namespace
}  // namespace shardscope::hlo_text_test
