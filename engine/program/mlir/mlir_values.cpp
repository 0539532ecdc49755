// SPDX-License-Identifier: Apache-2.0
#include "engine/program/mlir/mlir_values.h"

#include "engine/base/units.h"

namespace shardscope::inline program {
namespace {

constexpr int64_t kMostNumbers = int64_t{1} << 24;

// Appends the numbers of a list nested any way; `closing` ends it.
Result<void> read_nested(MlirLexer& lexer, std::vector<int64_t>& into) {
  for (;;) {
    const char c = lexer.peek();
    if (c == '[' || c == ']' || c == ',') {
      TRY_VOID(lexer.expect(std::string_view(&c, 1)));
    } else if (lexer.accept_word("true")) {
      into.push_back(1);
    } else if (lexer.accept_word("false")) {
      into.push_back(0);
    } else if (const auto number = lexer.integer()) {
      into.push_back(*number);
    } else {
      return {};
    }
  }
}

// ": tensor<2x3xi64>" if it is there.
Result<std::vector<int64_t>> read_dims(MlirLexer& lexer) {
  std::vector<int64_t> dims;
  if (!lexer.accept(":") || !lexer.accept_word("tensor")) return dims;
  TRY_VOID(lexer.expect("<"));
  int64_t count = 1;
  while (lexer.peek() >= '0' && lexer.peek() <= '9') {
    const size_t place = lexer.position();
    TRY(const int64_t size, lexer.expect_integer("a size"));
    const auto product = checked_multiply(count, size > 0 ? size : 1);
    if (!product || *product > kMostNumbers) return lexer.error_at(place, "a list of more than 2^24 numbers");
    count = *product;
    dims.push_back(size);
    TRY_VOID(lexer.expect("x"));
  }
  return dims;
}

}  // namespace

Result<MlirNumbers> read_mlir_numbers(const MlirLexer& whole, std::string_view text) {
  MlirNumbers out;
  MlirLexer lexer = whole.within(text);
  const size_t start = lexer.position();
  if (lexer.accept_word("array")) {
    TRY_VOID(lexer.expect("<"));
    TRY_VOID(lexer.expect_word("a type"));
    lexer.accept(":");
    TRY_VOID(read_nested(lexer, out.numbers));
    TRY_VOID(lexer.expect(">"));
  } else if (lexer.accept_word("dense")) {
    TRY_VOID(lexer.expect("<"));
    const bool splat = lexer.peek() != '[' && lexer.peek() != '>';
    if (lexer.peek() == '"') return lexer.expected("numbers that are spelled out");
    TRY_VOID(read_nested(lexer, out.numbers));
    TRY_VOID(lexer.expect(">"));
    TRY(out.dims, read_dims(lexer));
    int64_t count = 1;
    for (const int64_t size : out.dims) count *= size;
    if (splat && out.numbers.size() == 1 && !out.dims.empty())
      out.numbers.assign(static_cast<size_t>(count), out.numbers.front());
    if (!out.dims.empty() && static_cast<int64_t>(out.numbers.size()) != count)
      return lexer.error_at(
          start, std::to_string(out.numbers.size()) + " numbers, the type has " + std::to_string(count));
    if (out.dims.empty()) out.dims = {static_cast<int64_t>(out.numbers.size())};
    return out;
  } else {
    TRY_VOID(read_nested(lexer, out.numbers));
  }
  if (lexer.starts_with("dense_resource"))
    return lexer.error_at(lexer.position(),
                          "numbers that the text leaves out: print it without large_elements_limit");
  if (!lexer.at_end() && !lexer.starts_with(":")) return lexer.expected("numbers");
  if (out.dims.empty()) out.dims = {static_cast<int64_t>(out.numbers.size())};
  return out;
}

Result<std::vector<std::string_view>> mlir_parts(const MlirLexer& whole, std::string_view bracket) {
  std::vector<std::string_view> out;
  if (bracket.size() < 2) return out;
  MlirLexer lexer = whole.within(bracket.substr(1, bracket.size() - 2));
  while (!lexer.at_end()) {
    TRY(const std::string_view part, lexer.balanced(","));
    if (part.empty()) return lexer.expected("a part of a list");
    out.push_back(part);
    if (!lexer.at_end()) TRY_VOID(lexer.expect(","));
  }
  return out;
}

std::string mlir_string(std::string_view value) {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return std::string(value);
  return mlir_unescaped(value.substr(1, value.size() - 2));
}

Result<std::vector<MlirAttribute>> mlir_entries(const MlirLexer& whole, std::string_view text) {
  std::vector<MlirAttribute> out;
  const size_t open = text.find_first_of("<{");
  if (open == std::string_view::npos) return out;
  TRY(const std::vector<std::string_view> parts, mlir_parts(whole, text.substr(open)));
  for (const std::string_view part : parts) {
    MlirLexer lexer = whole.within(part);
    MlirAttribute entry;
    if (lexer.peek() == '"') {
      TRY(entry.key, lexer.expect_quoted("a key"));
    } else {
      entry.key = lexer.word();
    }
    if (lexer.accept("=")) {
      TRY(entry.value, lexer.balanced(""));
    }
    out.push_back(entry);
  }
  return out;
}

}  // namespace shardscope::inline program
