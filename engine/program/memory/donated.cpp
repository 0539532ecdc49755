// SPDX-License-Identifier: Apache-2.0
#include "engine/program/memory/donated.h"

#include <cctype>
#include <optional>
#include <string_view>

namespace shardscope::inline program {
namespace {

// "{ {0}: (0, {}, may-alias), {1, 0}: 2 }" and "{ (0, {}), (1, {}) }".
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<DonatedLeaf> aliases() {
    std::vector<DonatedLeaf> out;
    take('{');
    while (see('{')) {
      DonatedLeaf leaf;
      leaf.result = path();
      take(':');
      argument(leaf);
      out.push_back(std::move(leaf));
      take(',');
    }
    return out;
  }
  std::vector<DonatedLeaf> donors() {
    std::vector<DonatedLeaf> out;
    take('{');
    while (see('(')) {
      DonatedLeaf leaf;
      leaf.whole = true;
      argument(leaf);
      out.push_back(std::move(leaf));
      take(',');
    }
    return out;
  }

 private:
  void blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool see(char c) {
    blanks();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool take(char c) {
    if (!see(c)) return false;
    ++at_;
    return true;
  }
  std::optional<int64_t> number() {
    blanks();
    if (at_ == text_.size() || std::isdigit(static_cast<unsigned char>(text_[at_])) == 0) return std::nullopt;
    int64_t out = 0;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0; ++at_)
      if (out < 1'000'000'000) out = out * 10 + (text_[at_] - '0');
    return out;
  }
  LeafPath path() {
    LeafPath out;
    if (!take('{')) return out;
    while (const auto n = number()) {
      out.push_back(*n);
      take(',');
    }
    take('}');
    return out;
  }
  void argument(DonatedLeaf& leaf) {
    const bool in_parentheses = take('(');
    leaf.parameter = number().value_or(0);
    if (!in_parentheses) return;
    if (take(',')) leaf.path = path();
    while (at_ < text_.size() && text_[at_] != ')') ++at_;
    take(')');
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::vector<DonatedLeaf> donated_leaves(const Program& program) {
  std::vector<DonatedLeaf> out;
  for (const VerbatimAttribute& a : program.verbatim) {
    if (*a.key != "input_output_alias" && *a.key != "buffer_donor") continue;
    auto more = *a.key == "buffer_donor" ? Reader(a.value).donors() : Reader(a.value).aliases();
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

std::vector<DonatedLeaf> aliased_operands(const Instruction& instruction) {
  for (const VerbatimAttribute& a : *instruction.verbatim)
    if (*a.key == "output_to_operand_aliasing") return Reader(a.value).aliases();
  return {};
}

}  // namespace shardscope::inline program
