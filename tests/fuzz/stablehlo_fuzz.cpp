// SPDX-License-Identifier: Apache-2.0
// Any bytes are a module of StableHLO or an error with a place; what was read is a program of HLO.
#include "engine/program/mlir/module_text.h"
#include "tests/fuzz/program_claims.h"
#include "tests/fuzz/text_mutator.h"
#include "tests/fuzz/words.h"

namespace {
const std::vector<std::string_view> kWords = shardscope::with_names_of_types(shardscope::mlir_words());
}
SHARDSCOPE_TEXT_FUZZER(kWords)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace shardscope;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)is_mlir(text);
  const auto program = read_stablehlo(text, "f.mlir");
  if (program.ok())
    check_program(*program);
  else
    CHECK(program.error().where.starts_with("f.mlir"), program.error().text());
  return 0;
}
