// SPDX-License-Identifier: Apache-2.0
// What XLA's compiler for CPUs makes of a module: the same loops, steps and types as in texts that it
// compiled.
#include "engine/backend/cpu_compiler.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/program/text/hlo_text.h"

namespace shardscope::cpu_compiler_test {
namespace {

const std::string kReducers =
    "sum { a = f32[] parameter(0)\nb = f32[] parameter(1)\nROOT s = f32[] add(a, b) }\n"
    "same { a = f32[] parameter(0)\nb = f32[] parameter(1)\nROOT s = f32[] add(a, b) }\n";

Program compiled(const std::string& entry, const WidenedTypes& widened = {}) {
  const auto program = parse_program("HloModule m\n" + kReducers + "ENTRY e {\n" + entry + "}\n");
  EXPECT_TRUE(program.ok()) << program.error().text();
  return *as_on_cpus(*program, widened, {});
}

// Shapes and operations of what has an array, in its order: "f32[8,4] reduce-window".
std::vector<std::string> arrays(const Program& program) {
  std::vector<std::string> out;
  for (const Instruction& i : program.entry_computation().instructions) {
    if (i.opcode == Opcode::parameter || i.opcode == Opcode::constant) continue;
    const std::string text = i.shape.text();
    out.push_back(text.substr(0, text.find('{')) + " " + std::string(opcode_text(i.opcode)));
  }
  return out;
}

using Texts = std::vector<std::string>;

TEST(CpuCompiler, MakesOneLoopOfWhatIsReadByElement) {
  const Program loop = compiled(
      "p = f32[16,8] parameter(0)\nn = f32[16,8] negate(p)\ne = f32[16,8] exponential(n)\n"
      "ROOT a = f32[16,8] add(e, p)\n");
  EXPECT_EQ(arrays(loop), Texts{"f32[16,8] fusion"});
}

TEST(CpuCompiler, ComputesWhatIsDearOnce) {
  // An exponential that is broadcast would be computed for each copy, a product of two numbers may be.
  const auto broadcast = [](const std::string& made) {
    return arrays(compiled("p = f32[16] parameter(0)\nq = f32[16,8] parameter(1)\nn = f32[16] " + made +
                           "\nb = f32[16,8] broadcast(n), dimensions={0}\nROOT a = f32[16,8] add(b, q)\n"));
  };
  EXPECT_EQ(broadcast("exponential(p)"), (Texts{"f32[16] exponential", "f32[16,8] fusion"}));
  EXPECT_EQ(broadcast("multiply(p, p)"), Texts{"f32[16,8] fusion"});
}

TEST(CpuCompiler, ReducesInWindowsOfThirtyTwo) {
  const auto reduced = [](const std::string& rows) {
    return arrays(compiled("p = f32[" + rows + ",128] parameter(0)\nz = f32[] constant(0)\nROOT r = f32[" +
                           rows + "] reduce(p, z), dimensions={1}, to_apply=sum\n"));
  };
  EXPECT_EQ(reduced("8"), (Texts{"f32[8,4] reduce-window", "f32[8] reduce"}));
  EXPECT_EQ(reduced("32"), Texts{"f32[32] reduce"}) << "4096 elements are a library's";
}

TEST(CpuCompiler, AddsUpNothingOverOneElement) {
  EXPECT_EQ(arrays(compiled("p = f32[64,64,1] parameter(0)\nz = f32[] constant(0)\nROOT r = f32[64,64] "
                            "reduce(p, z), dimensions={2}, to_apply=sum\n")),
            Texts{"f32[64,64] reshape"});
}

TEST(CpuCompiler, KeepsWhatWindowsRead) {
  const Program softmax = compiled(
      "p = f32[8,128] parameter(0)\nz = f32[] constant(0)\ne = f32[8,128] exponential(p)\n"
      "s = f32[8] reduce(e, z), dimensions={1}, to_apply=sum\n"
      "b = f32[8,128] broadcast(s), dimensions={0}\nROOT d = f32[8,128] divide(e, b)\n");
  EXPECT_EQ(arrays(softmax), (Texts{"f32[8,128] exponential", "f32[8,4] reduce-window", "f32[8] fusion",
                                    "f32[8,128] fusion"}));
}

TEST(CpuCompiler, SumsAlongRowsOfSixteen) {
  const Program running = compiled(
      "p = f32[8,64] parameter(0)\nz = f32[] constant(0)\nROOT r = f32[8,64] reduce-window(p, z), "
      "window={size=1x64 pad=0_0x63_0}, to_apply=sum\n");
  EXPECT_EQ(arrays(running), (Texts{"f32[8,4,16] reshape", "f32[8,4,16] reduce-window", "f32[8,4] fusion",
                                    "f32[8,5] reduce-window", "f32[8,64] fusion"}));
}

TEST(CpuCompiler, MultipliesNarrowNumbersInWideOnes) {
  const std::string product =
      "p = bf16[8,16] parameter(0)\nq = bf16[16,8] parameter(1)\n"
      "ROOT d = bf16[8,8] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  EXPECT_EQ(arrays(compiled(product)),
            (Texts{"f32[8,16] convert", "f32[16,8] convert", "f32[8,8] dot", "bf16[8,8] convert"}));
  WidenedTypes kept;
  kept.bf16 = false;
  EXPECT_EQ(arrays(compiled(product, kept)), Texts{"bf16[8,8] dot"});
}

// Softmax of a product, times values, as the library computes it: the scores have no array.
TEST(CpuCompiler, MakesOneKernelOfProductsAroundReductions) {
  const auto attention = [](const std::string& batch, const std::string& numbers) {
    const std::string rows = "f32[" + batch + ",1024]", scores = "f32[" + batch + ",1024,1024]",
                      rest = "lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, lhs_contracting_dims={3}, ";
    return arrays(compiled(
        "q = f32[" + batch + ",1024,8] parameter(0)\nk = f32[" + batch + ",1024,8] parameter(1)\nv = f32[" +
        batch + ",1024,8] parameter(2)\ns = " + scores + " dot(q, k), " + rest +
        "rhs_contracting_dims={3}\nz = f32[] constant(0)\ne = " + scores + " exponential(s)\nt = " + rows +
        " reduce(e, z), dimensions={3}, " + "to_apply=sum\nb = " + scores + " broadcast(t), dimensions={" +
        numbers + "}\np = " + scores + " divide(e, b)\nROOT r = f32[" + batch + ",1024,8] dot(p, v), " +
        rest + "rhs_contracting_dims={2}\n"));
  };
  EXPECT_EQ(attention("2,2", "0,1,2"), Texts{"f32[2,2,1024,8] fusion"});
  // A batch of one element is taken off in front of a product and put back behind it.
  const Texts one_head = attention("2,1", "0,1,2");
  EXPECT_EQ(std::ranges::count(one_head, "f32[2,1,1024,1024] dot"), 1);
  EXPECT_EQ(std::ranges::count(one_head, "f32[2,1,1024,8] dot"), 1);
}

TEST(CpuCompiler, StartsNoKernelOfTheLibraryAtAProduct) {
  const std::string made =
      "p = f32[64,64] parameter(0)\nq = f32[64,64] parameter(1)\nb = f32[64,64] parameter(2)\n"
      "d = f32[64,64] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "a = f32[64,64] add(d, b)\n";
  EXPECT_EQ(arrays(compiled(made + "ROOT n = f32[64,64] negate(a)\n")),
            (Texts{"f32[64,64] dot", "f32[64,64] fusion"}));
  EXPECT_EQ(arrays(compiled(made + "z = f32[] constant(0)\nROOT r = f32[64] reduce(a, z), dimensions={1}, "
                                   "to_apply=sum\n")),
            Texts{"f32[64] fusion"});
}

// A mean is for what is done with it alone, so that is one kernel with what follows.
TEST(CpuCompiler, GrowsKernelsOfTheLibraryFromTheLastReduction) {
  EXPECT_EQ(arrays(compiled("p = f32[4096,64] parameter(0)\nz = f32[] constant(0)\n"
                            "m = f32[4096] reduce(p, z), dimensions={1}, to_apply=sum\n"
                            "b = f32[4096,64] broadcast(m), dimensions={0}\nd = f32[4096,64] subtract(p, b)\n"
                            "s = f32[4096,64] multiply(d, d)\n"
                            "v = f32[4096] reduce(s, z), dimensions={1}, to_apply=sum\n"
                            "w = f32[4096,64] broadcast(v), dimensions={0}\n"
                            "ROOT r = f32[4096,64] multiply(d, w)\n")),
            Texts{"f32[4096,64] fusion"});
}

TEST(CpuCompiler, DividesOnceByWhatIsSpread) {
  EXPECT_EQ(
      arrays(compiled("p = f32[64,32] parameter(0)\nq = f32[64] parameter(1)\n"
                      "b = f32[64,32] broadcast(q), dimensions={0}\nROOT d = f32[64,32] divide(p, b)\n")),
      (Texts{"f32[64] fusion", "f32[64,32] fusion"}));
  // By a number it is not dear, and is done for each reader.
  EXPECT_EQ(arrays(compiled("p = f32[64,32] parameter(0)\nn = f32[] constant(8)\n"
                            "b = f32[64,32] broadcast(n), dimensions={}\nd = f32[64,32] divide(p, b)\n"
                            "s = f32[64,32] sine(d)\nt = f32[32,64] transpose(d), dimensions={1,0}\n"
                            "ROOT r = (f32[64,32], f32[32,64]) tuple(s, t)\n")),
            (Texts{"f32[64,32] fusion", "f32[32,64] fusion", "(f32[64,32], f32[32,64]) tuple"}));
}

TEST(CpuCompiler, MultipliesElementsWhereAProductSumsOverNothing) {
  EXPECT_EQ(arrays(compiled("p = f32[16,1] parameter(0)\nq = f32[1,8] parameter(1)\n"
                            "ROOT d = f32[16,8] dot(p, q), lhs_contracting_dims={1}, "
                            "rhs_contracting_dims={0}\n")),
            Texts{"f32[16,8] fusion"});
  EXPECT_EQ(arrays(compiled("p = bf16[4,16] parameter(0)\nq = bf16[4,8] parameter(1)\n"
                            "ROOT d = f32[4,16,8] dot(p, q), lhs_batch_dims={0}, rhs_batch_dims={0}, "
                            "lhs_contracting_dims={}, rhs_contracting_dims={}\n")),
            Texts{"f32[4,16,8] fusion"});
}

TEST(CpuCompiler, TakesNothingForLargerThanTheSmallest) {
  EXPECT_EQ(arrays(compiled("p = f32[8,4] parameter(0)\nn = f32[] constant(-inf)\n"
                            "b = f32[8,4] broadcast(n), dimensions={}\nm = f32[8,4] maximum(b, p)\n"
                            "ROOT e = f32[8,4] exponential(m)\n")),
            Texts{"f32[8,4] exponential"});
}

// From 64 bytes a row and 2048 in all.
TEST(CpuCompiler, PutsLongRowsEndToEndAlone) {
  const auto joined = [](const std::string& rows, const std::string& of, const std::string& made) {
    const std::string part = "f32[" + rows + "," + of + "]", all = "f32[" + rows + "," + made + "]";
    return arrays(compiled("p = " + part + " parameter(0)\nq = " + part + " parameter(1)\nc = " + all +
                           " concatenate(p, q), dimensions={1}\nROOT n = " + all + " negate(c)\n"));
  };
  EXPECT_EQ(joined("4", "64", "128"), (Texts{"f32[4,128] concatenate", "f32[4,128] negate"}));
  EXPECT_EQ(joined("4", "8", "16"), Texts{"f32[4,16] fusion"});
  EXPECT_EQ(joined("64", "4", "8"), Texts{"f32[64,8] fusion"});
}

TEST(CpuCompiler, LeavesToTheLibraryWhatItMultipliesInNarrowNumbers) {
  const auto product = [](const std::string& dims) {
    return arrays(
        compiled("p = bf16[16,16] parameter(0)\nq = bf16[16,16] parameter(1)\n"
                 "ROOT d = f32[16,16] dot(p, q), " +
                 dims + "\n"));
  };
  EXPECT_EQ(product("lhs_contracting_dims={1}, rhs_contracting_dims={0}"), Texts{"f32[16,16] dot"});
  EXPECT_EQ(product("lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
            (Texts{"f32[16,16] convert", "f32[16,16] convert", "f32[16,16] dot"}));
}

// A product that is transposed is one with its sides exchanged. Of what can be done at once that comes first
// which the first result needs.
TEST(CpuCompiler, ExchangesTheSidesOfTransposedProducts) {
  const auto made = [](const std::string& results, const std::string& shapes) {
    return arrays(
        compiled("x = f32[16,32] parameter(0)\ng = f32[16,8] parameter(1)\nw = f32[32,8] parameter(2)\n"
                 "n = f32[16,8] sine(g)\nd = f32[8,32] dot(n, x), lhs_contracting_dims={0}, "
                 "rhs_contracting_dims={0}\nt = f32[32,8] transpose(d), dimensions={1,0}\n"
                 "b = f32[16,32] dot(n, w), lhs_contracting_dims={1}, rhs_contracting_dims={1}\nROOT r = (" +
                 shapes + ") tuple(" + results + ")\n"));
  };
  const std::string one = "f32[32,8]", other = "f32[16,32]";
  EXPECT_EQ(made("t, b", one + ", " + other),
            (Texts{"f32[16,8] sine", one + " dot", other + " dot", "(" + one + ", " + other + ") tuple"}));
  EXPECT_EQ(made("b, t", other + ", " + one),
            (Texts{"f32[16,8] sine", other + " dot", one + " dot", "(" + other + ", " + one + ") tuple"}));
}

// 16 KiB of a vector and more.
TEST(CpuCompiler, TurnsAMatrixInFrontOfAVector) {
  EXPECT_EQ(
      arrays(compiled("p = f32[8192,512] parameter(0)\nv = f32[8192] parameter(1)\n"
                      "t = f32[512,8192] transpose(p), dimensions={1,0}\n"
                      "ROOT d = f32[512] dot(t, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n")),
      (Texts{"f32[512,8192] transpose", "f32[512] dot"}));
}

// As the library does not have what lies turned when XLA asks whether a sum has to be cut, it sums in steps.
TEST(CpuCompiler, CutsSumsOfWhatLiesTurned) {
  const auto summed = [](const std::string& of) {
    return arrays(
        compiled("p = f32[2048,1024] parameter(0)\nq = f32[1024,2048] parameter(1)\n"
                 "z = f32[] constant(0)\nt = f32[1024,2048] transpose(p), dimensions={1,0}\n"
                 "m = f32[1024,2048] multiply(" +
                 of + ", q)\nROOT r = f32[] reduce(m, z), dimensions={0,1}, to_apply=sum\n"));
  };
  EXPECT_EQ(summed("q"), Texts{"f32[] fusion"});
  EXPECT_EQ(summed("t"), (Texts{"f32[1024,2048] transpose", "f32[32,64] fusion", "f32[1,2] reduce-window",
                                "f32[] reduce"}));
}

// Two loops that read normal numbers compute their polynomial, and share its logarithm and root.
TEST(CpuCompiler, ComputesTheDearPartsOfAnInverseOnce) {
  const std::string made = "p = f32[64,32] parameter(0)\ni = f32[64,32] chlo.erf_inv(p)\n";
  EXPECT_EQ(arrays(compiled(made + "ROOT n = f32[64,32] negate(i)\n")), Texts{"f32[64,32] fusion"});
  const Texts two = arrays(compiled(made + "n = f32[64,32] sine(i)\nt = f32[32,64] transpose(i), "
                                           "dimensions={1,0}\n"
                                           "ROOT r = (f32[64,32], f32[32,64]) tuple(n, t)\n"));
  EXPECT_EQ(two.size(), 5);
}

TEST(CpuCompiler, TurnsWhatAConvolutionReadsInAnotherOrder) {
  EXPECT_EQ(arrays(compiled("p = f32[4,8,8,16] parameter(0)\nq = f32[4,8,8,32] parameter(1)\n"
                            "ROOT k = f32[3,3,16,32] convolution(p, q), window={size=8x8 pad=1_1x1_1}, "
                            "dim_labels=f01b_i01o->01bf\n")),
            (Texts{"f32[16,8,8,4] transpose", "f32[8,8,4,32] transpose", "f32[16,3,3,32] convolution",
                   "f32[3,3,16,32] transpose"}));
}

// A picture through two convolutions to the largest of each four: one kernel, as XLA made it of 100 MB.
TEST(CpuCompiler, JoinsConvolutionsToThePoolingBehindThem) {
  EXPECT_EQ(arrays(compiled("p = f32[4,8,8,32] parameter(0)\nq = f32[3,3,32,32] parameter(1)\n"
                            "z = f32[] constant(0)\nc = f32[4,8,8,32] convolution(p, q), "
                            "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f\n"
                            "ROOT r = f32[4,4,4,32] reduce-window(c, z), window={size=1x2x2x1 "
                            "stride=1x2x2x1}, to_apply=sum\n")),
            Texts{"f32[4,4,4,32] fusion"});
}

TEST(CpuCompiler, RoundsWhatIsNotStoredAsWell) {
  const Program chain = compiled(
      "p = f32[8,8] parameter(0)\nd = f32[8,8] dot(p, p), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}\n"
      "n = bf16[8,8] convert(d)\nROOT e = bf16[8,8] dot(n, n), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}\n");
  EXPECT_EQ(arrays(chain), (Texts{"f32[8,8] dot", "f32[8,8] fusion", "f32[8,8] dot", "bf16[8,8] convert"}));
}

TEST(CpuCompiler, DoesEqualWorkOnce) {
  const Program twice = compiled(
      "p = f32[4,8] parameter(0)\nz = f32[] constant(0)\na = f32[4] reduce(p, z), dimensions={1}, "
      "to_apply=sum\n"
      "b = f32[4] reduce(p, z), dimensions={1}, to_apply=same\nROOT t = (f32[4], f32[4]) tuple(a, b)\n");
  EXPECT_EQ(arrays(twice), (Texts{"f32[4] reduce", "(f32[4], f32[4]) tuple"}));
}

TEST(CpuCompiler, ReadsTransposedMatricesAsTheyLie) {
  const auto product = [](const std::string& n) {
    return arrays(compiled("p = f32[8,4] parameter(0)\nq = f32[" + n + ",4] parameter(1)\nt = f32[4," + n +
                           "] transpose(q), dimensions={1,0}\nROOT d = f32[8," + n +
                           "] dot(p, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"));
  };
  EXPECT_EQ(product("16"), Texts{"f32[8,16] dot"});
  EXPECT_EQ(product("1"), (Texts{"f32[4,1] transpose", "f32[8,1] dot"}));
}

// What is summed over several dimensions lies in columns on the left, in rows on the right.
TEST(CpuCompiler, MakesMatricesOfWhatItMultiplies) {
  const std::string operands = "p = f32[2,3,5] parameter(0)\nq = f32[2,3,7] parameter(1)\n";
  EXPECT_EQ(arrays(compiled(operands + "ROOT d = f32[5,7] dot(p, q), lhs_contracting_dims={0,1}, "
                                       "rhs_contracting_dims={0,1}\n")),
            (Texts{"f32[5,6] fusion", "f32[6,7] reshape", "f32[5,7] dot"}));
  EXPECT_EQ(arrays(compiled(operands + "ROOT d = f32[3,5,3,7] dot(p, q), lhs_contracting_dims={0}, "
                                       "rhs_contracting_dims={0}\n")),
            (Texts{"f32[15,2] fusion", "f32[2,21] reshape", "f32[15,21] dot", "f32[3,5,3,7] reshape"}));
}

TEST(CpuCompiler, UpdatesWhereOneWindowIsScattered) {
  const auto scattered = [](const std::string& by) {
    return arrays(
        compiled("p = f32[8,8] parameter(0)\ni = s32[2] parameter(1)\nu = f32[3,4] parameter(2)\n"
                 "ROOT r = f32[8,8] scatter(p, i, u), update_window_dims={0,1}, "
                 "inserted_window_dims={}, scatter_dims_to_operand_dims={0,1}, "
                 "index_vector_dim=0, to_apply=" +
                 by + "\n"));
  };
  EXPECT_EQ(scattered("sum"), Texts{"f32[8,8] fusion"});
}

TEST(CpuCompiler, ConvolvesGroupsOfBatchesTogether) {
  const Texts made =
      arrays(compiled("p = f32[4,8,8,3] parameter(0)\nq = f32[4,8,8,3] parameter(1)\n"
                      "ROOT k = f32[3,3,1,3] convolution(p, q), window={size=8x8 pad=1_1x1_1}, "
                      "dim_labels=f01b_i01o->01bf, batch_group_count=3\n"));
  EXPECT_EQ(made.front(), "f32[3,3,3,3] convolution");
  EXPECT_EQ(made.back(), "f32[3,3,1,3] fusion");
}

// Shapes of the state of the only loop.
Texts state_of_loop(const std::string& round, const std::string& state, const std::string& first) {
  const auto program =
      parse_program("HloModule m\nstop { s = (" + state +
                    ") parameter(0)\nc = s32[] get-tuple-element(s), index=0\n"
                    "n = s32[] constant(9)\nROOT l = pred[] compare(c, n), direction=LT }\n"
                    "round { s = (" +
                    state +
                    ") parameter(0)\nc = s32[] get-tuple-element(s), index=0\n"
                    "one = s32[] constant(1)\nnext = s32[] add(c, one)\nz = s32[] constant(0)\n" +
                    round +
                    "}\n"
                    "ENTRY e {\nz = s32[] constant(0)\n" +
                    first + "out = (" + state +
                    ") while(t), condition=stop, body=round\n"
                    "ROOT r = f32[4,8] get-tuple-element(out), index=1\n}\n");
  EXPECT_TRUE(program.ok()) << program.error().text();
  const Program made = *as_on_cpus(*program, {}, {});
  Texts out;
  for (const Instruction& i : made.entry_computation().instructions)
    if (i.opcode == Opcode::while_)
      for (const Shape& element : *i.shape.elements) out.push_back(element.text_without_layout());
  return out;
}

// Sixteen layers' weights in bf16, of which each round takes its own in f32: all are converted in front of
// the loop, and those in bf16 are carried no more.
TEST(CpuCompiler, ConvertsWhatAllRoundsTakeOnce) {
  EXPECT_EQ(state_of_loop("x = f32[4,8] get-tuple-element(s), index=1\n"
                          "all = bf16[9,8,8] get-tuple-element(s), index=2\n"
                          "own = bf16[1,8,8] dynamic-slice(all, c, z, z), dynamic_slice_sizes={1,8,8}\n"
                          "w = bf16[8,8] reshape(own)\nwide = f32[8,8] convert(w)\n"
                          "y = f32[4,8] dot(x, wide), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                          "ROOT t = (s32[], f32[4,8], bf16[9,8,8]) tuple(next, y, all)",
                          "s32[], f32[4,8], bf16[9,8,8]",
                          "x = f32[4,8] parameter(0)\nall = bf16[9,8,8] parameter(1)\n"
                          "t = (s32[], f32[4,8], bf16[9,8,8]) tuple(z, x, all)\n"),
            (Texts{"s32[]", "f32[4,8]", "pred[]", "f32[9,8,8]"}));
}

TEST(CpuCompiler, ComputesOnceWhatIsAlikeInAllRounds) {
  const auto carried = [](const std::string& made) {
    return state_of_loop(
        "x = f32[4,8] get-tuple-element(s), index=1\nw = f32[8,8] get-tuple-element(s), index=2\n" + made +
            "y = f32[4,8] dot(x, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
            "ROOT t = (s32[], f32[4,8], f32[8,8]) tuple(next, y, w)",
        "s32[], f32[4,8], f32[8,8]",
        "x = f32[4,8] parameter(0)\nw = f32[8,8] parameter(1)\n"
        "t = (s32[], f32[4,8], f32[8,8]) tuple(z, x, w)\n");
  };
  EXPECT_EQ(carried("v = f32[8,8] exponential(w)\n"), (Texts{"s32[]", "f32[4,8]", "pred[]", "f32[8,8]"}));
  EXPECT_EQ(carried("v = f32[8,8] reverse(w), dimensions={0}\n"), (Texts{"s32[]", "f32[4,8]", "f32[8,8]"}))
      << "what only moves is not carried";
  EXPECT_EQ(carried("v = f32[8,8] multiply(w, w)\n"), (Texts{"s32[]", "f32[4,8]", "pred[]", "f32[8,8]"}));
  EXPECT_EQ(carried("v = f32[8,8] all-gather(w), dimensions={0}, replica_groups={}\n"),
            (Texts{"s32[]", "f32[4,8]", "pred[]", "f32[8,8]"}))
      << "what devices give each other in each round is gathered once";
  EXPECT_EQ(carried("n = bf16[] constant(2)\nb = bf16[8,8] broadcast(n), dimensions={}\n"
                    "v = f32[8,8] convert(b)\n"),
            (Texts{"s32[]", "f32[4,8]", "pred[]", "f32[]"}))
      << "of what is spread the number alone";
}

TEST(CpuCompiler, FindsPlacesOfSelectedElements) {
  const Program pooled = compiled(
      "p = f32[8,8] parameter(0)\ns = f32[4,4] parameter(1)\nz = f32[] constant(0)\n"
      "ROOT r = f32[8,8] select-and-scatter(p, s, z), window={size=2x2 stride=2x2}, select=sum, "
      "scatter=sum\n");
  const Texts made = arrays(pooled);
  const auto count = [&](const char* text) { return std::ranges::count(made, text); };
  EXPECT_EQ(count("s32[8,8] iota"), 2);
  EXPECT_EQ(count("s32[16,2] fusion"), 1);
  EXPECT_EQ(made.back(), "f32[8,8] scatter");
}

}  // namespace
}  // namespace shardscope::cpu_compiler_test
