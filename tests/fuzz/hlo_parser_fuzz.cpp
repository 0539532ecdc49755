// SPDX-License-Identifier: Apache-2.0
// Any bytes are a program or an error; what was read is printed and read back as the same program.
#include "engine/base/check.h"
#include "engine/program/analysis.h"
#include "engine/program/program.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace shardscope;
  const auto program = parse_program({reinterpret_cast<const char*>(data), size});
  if (!program.ok()) return 0;
  const std::string text = print_program(*program);
  const auto again = parse_program(text);
  CHECK(again.ok() && *again == *program, text);
  if (program->mesh.device_count() <= 64 && verify(*program).ok()) (void)Holdings::trace(*program);
  return 0;
}
