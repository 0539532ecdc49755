// SPDX-License-Identifier: Apache-2.0
// The kernels' language: what is printed is parsed equal, what is wrong is said where it stands, and nothing
// that anybody writes runs on and on.
#include "engine/base/text.h"

#include <fmt/format.h>

#include "engine/kernels/text/entry.h"
#include "engine/kernels/text/parser.h"
#include "engine/kernels/text/print.h"
#include "tests/engine/kernels/explored.h"

namespace shardscope::kernels::text_test {
namespace {

std::string text_of(const KernelEntry& entry) {
  return join(entry.listing.lines, "\n") + "\n";
}

// The body of a kernel on a ring, with what most need.
std::string ring_text(const std::string& body) {
  return "kernel test\naxes x\n\nn, d = axis_size(\"x\"), axis_index(\"x\")\n" + body;
}

std::string error_of(const std::string& text, int devices = 2) {
  const Result<KernelEntry> entry = kernel_from_text(text, "a.kernel");
  if (!entry.ok()) return entry.error().text();
  KernelOptions options;
  options.mesh = ring_mesh(devices);
  const Result<KernelProgram> program = build_kernel(*entry, options);
  return program.ok() ? "" : program.error().text();
}

TEST(KernelText, TheCataloguePrintsAsItIsWrittenAndParsesEqual) {
  for (const KernelEntry& entry : catalogue()) {
    const KernelText parsed = *parse_kernel_text(text_of(entry), entry.id);
    EXPECT_EQ(print_kernel(parsed), text_of(entry)) << entry.id;
    EXPECT_EQ(*parse_kernel_text(print_kernel(parsed), entry.id), parsed) << entry.id;
  }
}

TEST(KernelText, PrintingKeepsWhatBracketsMean) {
  for (const char* line : {"a = 1 - (2 - 3)",
                           "a = (1 - 2) - 3",
                           "a = (1 + 2) * 3 // 4 % 5",
                           "a = -(1 + 2)",
                           "a = - -1",
                           "a = not (1 == 2 and 3 == 4)",
                           "a = (1 if 2 else 3) if 4 else 5",
                           "a = 1 if 2 else 3 if 4 else 5",
                           "a = (1 == 2) == 3",
                           "a = 1 == (2 == 3)",
                           "a, b = 1, (2, 3)",
                           "a = (1,)",
                           "a = []",
                           "a = [1, 2]",
                           "a = 'say \"x\"'",
                           "f(a)(b).c(d[e, :])",
                           "a[...] += dot(b[...], c[ds(0, 8), :])",
                           "for i, j in grid(2, 3):\n    a = i  # why\n\n    # because\n    b = j",
                           "with vmem((1, 2)) as a, vmem((3, 4), f32) as b:\n    f(a, b)",
                           "def f():\n    g()",
                           "when a and not b or c:\n    when d:\n        f()"}) {
    const KernelText parsed = *parse_kernel_text(ring_text(line), "");
    const std::string printed = print_kernel(parsed);
    EXPECT_EQ(*parse_kernel_text(printed, ""), parsed) << printed;
    EXPECT_EQ(print_kernel(*parse_kernel_text(printed, "")), printed);
  }
}

TEST(KernelText, ALongLineIsBrokenBehindItsCommas) {
  std::string call = "a = f(";
  for (int i = 0; i < 40; ++i) call += "some_name, ";
  const KernelText parsed = *parse_kernel_text(ring_text(call + "g(1, 2))"), "");
  const std::string printed = print_kernel(parsed);
  for (const std::string& line : split(printed, '\n')) EXPECT_LE(line.size(), 100U) << line;
  EXPECT_EQ(*parse_kernel_text(printed, ""), parsed);
}

TEST(KernelText, WhatIsWrongIsSaidWhereItStands) {
  const std::pair<const char*, const char*> cases[] = {
      {"a = (1\n", "expected ')', found the end of the line; a.kernel:5:7"},
      {"a = 1 +\n", "expected a value, found the end of the line; a.kernel:5:8"},
      {"a = 1 ? 2\n", "found '?', which means nothing here; a.kernel:5:7; remove it"},
      {"a = quux\n", "nothing above is called quux; a.kernel:5:5"},
      {"ring = n\na = rign\n", "nothing above is called rign, did you mean ring; a.kernel:6:5"},
      {"  a = 1\n", "the line is indented, nothing above opens a block; a.kernel:5:3"},
      {"when n:\na = 1\n", "the block is empty; a.kernel:5:1; indent what belongs to it by four blanks"},
      {"a = n // (d - d)\n", "division by 0; a.kernel:5:7"},
      {"a = 9223372036854775807 + n\n", "the number is too large; a.kernel:5:25"},
      {"s = dma_semaphore(2)\nsemaphore_wait(s.at[n])\n", "index 2 of s.at, which has 2; a.kernel:6:21"},
      {"semaphore_wait(7)\n", "expected a semaphore, got a number; a.kernel:5:16"},
      {"semaphore_wait()\n", "semaphore_wait needs sem: semaphore_wait(sem, value=); a.kernel:5:1"},
      {"x = input((8, 8))\ny = x + 1\n", "'+' takes numbers, this is a buffer; a.kernel:6:5"},
      {"x = input(8)\n", "expected rows and columns, as in (8, 128); a.kernel:5:11"},
      {"x = input((0, 8))\n", "buffer x has no elements; a.kernel:5:5"},
      {"a = axis_size(\"y\")\n", "the kernel's line 'axes' does not name \"y\"; a.kernel:5:15"},
      {"x = input((8, 8))\ny = vmem((8, 4))\ns = dma_semaphore()\nc = make_async_copy(x, y, s)\n",
       "copy of f32 [8, 8] to f32 [8, 4]; a.kernel:8:5"},
      {"x = input((8, 8))\nx[...] = 1\n",
       "a buffer takes 0, a[...], a[...] + b[...], += a[...] and += dot(a[...], b[...]); a.kernel:6:10"},
      {"size tile = 8\n",
       "'tile' is no size, there are rows, cols, m, k, n, bm, bk, bn, chunks; a.kernel:5:1"},
      {"require(n == 3, \"needs three\")\n", "needs three; a.kernel"},
      {"def f(a):\n    f(a)\nf(1)\n", "calls nest deeper than 16; a.kernel:6:5"},
      {"for i in range(1000000000000):\n    a = i\n",
       "the loop has more steps than anybody watches: take smaller sizes; a.kernel:5:1"}};
  for (const auto& [body, expected] : cases) EXPECT_EQ(error_of(ring_text(body)), expected) << body;
  EXPECT_EQ(error_of("a = 1\n"),
            "a kernel begins with its name; a.kernel:1:1; write a line 'kernel my.kernel'");
  EXPECT_EQ(error_of("kernel a\naxes y\n"),
            "expected axes x; x, y; or x, y, z; a.kernel:2:6; they are the first ones of the mesh");
  EXPECT_EQ(
      error_of("kernel a\nresult right\n").rfind("there is no result 'right'; a.kernel; use gathered", 0),
      0U);
}

TEST(KernelText, EveryLineThatIsWrongIsNamedAtOnce) {
  const ParsedKernel parsed = parse_kernel_lines(ring_text("a = (\nb = 1\nwhen :\n    c = )\nd = 2\n"));
  std::vector<int32_t> lines;
  for (const TextProblem& problem : parsed.problems) lines.push_back(problem.place.line);
  EXPECT_EQ(lines.front(), 6);  // the bracket of line 5 is open until there
  const ParsedKernel two = parse_kernel_lines(ring_text("b = ]\nwhen :\n    c = )\nd = 2\n"));
  ASSERT_EQ(two.problems.size(), 3U);
  EXPECT_EQ(two.problems[0].place.line, 5);
  EXPECT_EQ(two.problems[1].place.line, 6);
  EXPECT_EQ(two.problems[2].place.line, 7);
}

TEST(KernelText, NothingRunsOnAndOn) {
  std::string deep = "a = ";
  for (int i = 0; i < 5000; ++i) deep += "(";
  EXPECT_NE(error_of(ring_text(deep)).find("nest deeper than 64"), std::string::npos);
  std::string nots = "a = ";
  for (int i = 0; i < 5000; ++i) nots += "not ";
  EXPECT_NE(error_of(ring_text(nots)).find("nest deeper than 64"), std::string::npos);
  for (const char* link : {"+1", "()", "[0]", ".b"}) {
    std::string chain = "a = n";
    for (int i = 0; i < 50'000; ++i) chain += link;
    EXPECT_NE(error_of(ring_text(chain)).find("more than 1000 operators"), std::string::npos) << link;
  }
  std::string blocks, indent;
  for (int i = 0; i < 40; ++i, indent += " ") blocks += indent + "when n:\n";
  EXPECT_NE(error_of(ring_text(blocks + indent + "a = 1\n")).find("nest deeper than 16"), std::string::npos);
  const std::string loops =
      "for a in range(4096):\n    for b in range(4096):\n        for c in range(4096):\n            e = c\n";
  EXPECT_NE(error_of(ring_text(loops)).find("than anybody watches"), std::string::npos);
  std::string list = "for a in range(1000):\n    b = [";
  for (int i = 0; i < 50'000; ++i) list += "n, ";
  EXPECT_NE(error_of(ring_text(list + "]\n"), 256).find("runs more statements"), std::string::npos);
  EXPECT_NE(error_of(std::string(kMostKernelText + 1, '\n')).find("letters"), std::string::npos);
}

// A kernel of anybody's, judged by a result's name, must have the buffers that it speaks of.
TEST(KernelText, AResultFitsTheBuffersOrIsRefused) {
  const auto judged = [](const std::string& result, const std::string& body) {
    return error_of("kernel test\naxes x\nresult " + result + "\n\nn = axis_size(\"x\")\n" + body);
  };
  EXPECT_EQ(judged("gathered", "x = input((4, 4))\n"),
            "result gathered is judged by an output called out, there is none; a.kernel");
  EXPECT_EQ(judged("gathered", "x = input((4, 4))\nout = output((4, 4))\n"),
            "out is [4, 4], result gathered makes [8, 4] of the inputs; a.kernel");
  EXPECT_EQ(judged("gathered", "x = input((4, 4))\nout = output((n * 4, 4))\n"), "");
  EXPECT_EQ(judged("scattered", "x = input((5, 4))\nout = output((2, 4))\n"),
            "2 devices share 5 rows of x; a.kernel");
  EXPECT_EQ(judged("product", "a = input((5, 4))\nb = input((3, 4))\nout = output((2, 4))\n"),
            "a has 4 columns for 3 rows of b; a.kernel");
  EXPECT_EQ(judged("whole_product", "a = input((5, 4))\nb = input((3, 4))\n"),
            "result whole_product needs axes x, y; a.kernel");
}

TEST(KernelText, AFindingNamesTheLineOfTheText) {
  const KernelEntry entry =
      *kernel_from_text(ring_text("x = input((4, 4))\nout = output((4, 4))\nsem = dma_semaphore()\n"
                                  "copy = make_async_copy(x, out, sem)\ncopy.start()\n"),
                        "");
  KernelOptions options;
  options.mesh = ring_mesh(2);
  ExploreOptions how;
  how.schedules = 4;
  const KernelRun run = *explore(entry, *build_kernel(entry, options), how, Workers(), {});
  EXPECT_EQ(first_of(run, FindingKind::dma_at_exit).first.line, 9);
  EXPECT_EQ(run.layout.listing.lines[8], "copy.start()");
}

}  // namespace
}  // namespace shardscope::kernels::text_test
