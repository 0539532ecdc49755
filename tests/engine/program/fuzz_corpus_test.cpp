// SPDX-License-Identifier: Apache-2.0
// The fuzzers' stored texts, among them those that once broke something: each is an error with a place or a
// program that its own text gives back.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "engine/program/mlir/module_text.h"
#include "engine/program/module_form.h"

namespace shardscope::fuzz_corpus_test {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

Result<Program> even_if_cut(const std::string& text) {
  TRY(HloText read, read_module_bytes(text, "f"));
  return std::move(read.program);
}

TEST(FuzzCorpus, EveryTextIsAnErrorOrAProgram) {
  const std::filesystem::path corpus = std::string(SHARDSCOPE_SOURCE_DIR) + "/tests/fuzz/corpus";
  size_t programs = 0, errors = 0;
  for (const std::string folder : {"hlo", "stablehlo", "proto"}) {
    for (const auto& file : std::filesystem::directory_iterator(corpus / folder)) {
      const std::string text = content(file.path());
      const auto read = folder == "stablehlo" ? read_stablehlo(text, "f") : even_if_cut(text);
      (read.ok() ? programs : errors)++;
      if (!read.ok()) {
        EXPECT_TRUE(read.error().where.starts_with("f")) << file.path() << " " << read.error().text();
        continue;
      }
      const std::string printed = print_program(*read);
      const auto again = parse_program(printed);
      ASSERT_TRUE(again.ok()) << file.path() << " " << again.error().text() << "\n" << printed;
      EXPECT_EQ(*again, *read) << file.path() << "\n" << printed;
    }
  }
  EXPECT_GE(programs, 8U);
  EXPECT_GE(errors, 3U);
}

}  // namespace
}  // namespace shardscope::fuzz_corpus_test
