// SPDX-License-Identifier: Apache-2.0
// Any bytes are a module or an error of one line, in whatever form they are: XLA's messages, a profile that
// holds some, text. What was read is printed and read back as the same program.
#include "engine/program/module_form.h"
#include "tests/fuzz/program_claims.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace shardscope;
  const auto read = read_module_bytes(std::string(reinterpret_cast<const char*>(data), size), "f");
  if (read.ok()) check_program(read->program);
  if (!read.ok()) CHECK(read.error().text().find('\n') == std::string::npos, read.error().text());
  return 0;
}
