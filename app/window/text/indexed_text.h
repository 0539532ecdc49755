// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope::inline window {

// A module's text of any size by lines: read over once, on any thread, then every line and the line of every
// instruction is at hand. Immutable; one with a line changed shares all the rest.
class IndexedText {
 public:
  static constexpr int64_t kMostBytes = int64_t{1} << 30;

  IndexedText() : IndexedText(std::string()) {}
  explicit IndexedText(std::string text);  // of kMostBytes or fewer

  int lineCount() const { return static_cast<int>(base_->starts.size()); }
  std::string_view line(int number) const;  // from 0 on, without its end
  // The line that defines the instruction, of an argument in StableHLO its function's; of several the first.
  // -1: none.
  int lineOf(std::string_view instruction) const;
  // The lines that open a computation or a function, in order.
  const std::vector<int>& openings() const { return base_->openings; }
  size_t longestLine() const { return base_->longest; }  // in bytes
  size_t bytes() const { return base_->text.size(); }

  // `text` has no line end and defines the same instruction.
  IndexedText withLine(int number, std::string text) const;
  const std::map<int, std::string>& changed() const { return changed_; }
  std::string text() const;

 private:
  // What was read; lines of instructions in an open hash table.
  struct Base {
    std::string text;
    std::vector<uint32_t> starts;
    std::vector<int> openings;
    std::vector<int32_t> table;
    std::map<std::string, int32_t, std::less<>> arguments;
    size_t longest = 0;
  };
  static void index(Base& base);
  static std::string_view line_in(const Base& base, size_t number);
  static size_t find(const Base& base, std::string_view instruction);

  std::shared_ptr<const Base> base_;
  std::map<int, std::string> changed_;
};

using IndexedTextPtr = std::shared_ptr<const IndexedText>;

// What a line opens: "mlp" of "ENTRY %mlp (…) -> … {", "main" of "func.func public @main(…)"; else empty.
std::string_view computation_on(std::string_view line);

}  // namespace shardscope::inline window
