// SPDX-License-Identifier: Apache-2.0
// The text of what factorisations and systems of equations are told: lower=true, transpose_a=ADJOINT, …
#include <algorithm>

#include "engine/program/text/typed_attributes.h"

namespace shardscope {
namespace {

// The alternative `T`, made where there is another.
template <typename T>
T& made(Attributes& attributes) {
  if (!std::holds_alternative<T>(attributes)) attributes = T();
  return std::get<T>(attributes);
}

// A truth that is said where it is one.
template <typename T, bool T::*kMember>
constexpr AttributeText flag(std::string_view key) {
  return {key,
          [](HloLexer& lexer, Attributes& into) -> Result<void> {
            const size_t start = lexer.position();
            TRY(const std::string_view word, lexer.expect_word("true or false"));
            if (word != "true" && word != "false")
              return lexer.error_at(start, "got '" + std::string(word) + "', expected true or false");
            if (word == "true" || std::holds_alternative<T>(into)) made<T>(into).*kMember = word == "true";
            return {};
          },
          [](const Attributes& of) {
            const auto* owner = std::get_if<T>(&of);
            return std::string(owner != nullptr && owner->*kMember ? "true" : "");
          }};
}

// By their places in TriangularSides::Transpose.
constexpr std::string_view kTransposes[] = {"", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};

Result<void> read_transpose(HloLexer& lexer, Attributes& into) {
  const size_t start = lexer.position();
  TRY(const std::string_view word, lexer.expect_word("NO_TRANSPOSE, TRANSPOSE or ADJOINT"));
  const auto found = std::ranges::find(kTransposes, word);
  if (found == std::end(kTransposes))
    return lexer.error_at(start,
                          "got '" + std::string(word) + "', expected NO_TRANSPOSE, TRANSPOSE or ADJOINT");
  made<TriangularSides>(into).transpose =
      static_cast<TriangularSides::Transpose>(found - std::begin(kTransposes));
  return {};
}

std::string print_transpose(const Attributes& of) {
  const auto* sides = std::get_if<TriangularSides>(&of);
  return sides == nullptr ? "" : std::string(kTransposes[static_cast<size_t>(sides->transpose)]);
}

constexpr AttributeText kCholesky[] = {flag<CholeskySide, &CholeskySide::lower>("lower")};
constexpr AttributeText kTriangularSolve[] = {
    flag<TriangularSides, &TriangularSides::left_side>("left_side"),
    flag<TriangularSides, &TriangularSides::lower>("lower"),
    flag<TriangularSides, &TriangularSides::unit_diagonal>("unit_diagonal"),
    {"transpose_a", &read_transpose, &print_transpose},
};

}  // namespace

std::span<const AttributeText> cholesky_attributes() {
  return kCholesky;
}

std::span<const AttributeText> triangular_solve_attributes() {
  return kTriangularSolve;
}

}  // namespace shardscope
