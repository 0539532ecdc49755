// SPDX-License-Identifier: Apache-2.0
// Any text is a kernel or a list of what is wrong with it; one that is read is printed and read again equal,
// and built on a small ring it is a program or a refusal.
#include <string_view>

#include "engine/base/check.h"
#include "engine/kernels/catalogue/catalogue.h"
#include "engine/kernels/machine/explore.h"
#include "engine/kernels/pallas/pallas.h"
#include "engine/kernels/text/entry.h"
#include "engine/kernels/text/parser.h"
#include "engine/kernels/text/print.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace shardscope;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const kernels::ParsedKernel parsed = kernels::parse_kernel_lines(text);
  for (const kernels::TextProblem& problem : parsed.problems) CHECK(problem.place.line >= 1, problem.what);
  if (!parsed.problems.empty()) return 0;
  const std::string printed = print_kernel(parsed.text);
  const auto again = kernels::parse_kernel_text(printed, "");
  CHECK(again.ok(), again.ok() ? "" : again.error().text(), printed);
  CHECK(*again == parsed.text, printed);
  const auto entry = kernels::kernel_from_text(text, "");
  if (!entry.ok()) return 0;
  kernels::KernelOptions options;
  options.mesh = *Mesh::make({{"x", 2, true}, {"y", 2, true}, {"z", 1, true}});
  options.rows = options.cols = 2;
  const auto program = build_kernel(*entry, options);
  if (!program.ok()) return 0;
  size_t statements = 0;
  for (const auto& ops : program->devices) statements += ops.size();
  int64_t bytes = 0;
  for (const KernelBuffer& buffer : program->layout.buffers) bytes += buffer.bytes();
  if (statements > 2000 || bytes > (1 << 16)) return 0;
  (void)pallas_code(*entry, options);
  kernels::ExploreOptions how;
  how.schedules = 2;
  (void)explore(*entry, *program, how, Workers(1), {});
  return 0;
}
