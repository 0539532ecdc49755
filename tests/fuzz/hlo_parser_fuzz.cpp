// SPDX-License-Identifier: Apache-2.0
// Any bytes are a program or an error; what was read is printed and read back as the same program. A text
// that ends in the middle is a program too.
#include "engine/base/check.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/text/hlo_text.h"
#include "engine/story/shard_tracer.h"

namespace {

using namespace shardscope;

void read_everything(const Program& program) {
  for (const Computation& c : program.computations) {
    for (const Instruction& i : c.instructions) {
      (void)source_line(program, i);
      (void)custom_call_target(i);
      (void)physical_order(i.shape);
      (void)window_dims(i, i.shape.rank());
      (void)pad_dims(i, i.shape.rank());
      (void)convolution_dims(c, i);
      (void)gather_dims(c, i);
      (void)scatter_dims(c, i);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto read = read_hlo(bytes);
  const auto program = parse_program(bytes);
  CHECK(!program.ok() || (read.ok() && read->program == *program && !read->cut), "a whole text reads as cut");
  if (!read.ok()) return 0;
  const std::string text = print_program(read->program);
  const auto again = parse_program(text);
  CHECK(again.ok() && *again == read->program, text);
  read_everything(*again);
  if (again->mesh.device_count() <= 64 && verify(*again).ok()) (void)trace_shards(*again);
  return 0;
}
