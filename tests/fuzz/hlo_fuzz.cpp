// SPDX-License-Identifier: Apache-2.0
// Any bytes are a program or an error; what was read is printed and read back as the same program. A text
// that ends in the middle is a program too.
#include "engine/program/text/hlo_header.h"
#include "tests/fuzz/program_claims.h"
#include "tests/fuzz/text_mutator.h"
#include "tests/fuzz/words.h"

namespace {
const std::vector<std::string_view> kWords = shardscope::hlo_words();
}
SHARDSCOPE_TEXT_FUZZER(kWords)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace shardscope;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto read = read_hlo(bytes);
  const auto program = parse_program(bytes);
  // Of several modules read_hlo takes the first, parse_program all for one.
  const bool is_whole = program.ok() && module_starts(bytes).size() < 2;
  CHECK(!is_whole || (read.ok() && read->program == *program && !read->cut), "a whole text reads as cut");
  if (read.ok()) check_program(read->program);
  return 0;
}
