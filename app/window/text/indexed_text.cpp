// SPDX-License-Identifier: Apache-2.0
#include "app/window/text/indexed_text.h"

#include <algorithm>
#include <bit>

#include "engine/base/check.h"
#include "engine/base/text.h"
#include "engine/program/mlir/mlir_lines.h"
#include "engine/program/text/hlo_lines.h"

namespace shardscope::inline window {
namespace {

constexpr int32_t kEmpty = -1;

std::string_view name_at(std::string_view rest) {
  return rest.substr(0, std::min(rest.find_first_of(" ({:\t"), rest.size()));
}

}  // namespace

std::string_view computation_on(std::string_view line) {
  std::string_view rest = trim(line);
  if (const size_t at = rest.find("func.func "); at != std::string_view::npos && at <= 1) {
    const size_t name = rest.find('@');
    return name == std::string_view::npos ? std::string_view() : name_at(rest.substr(name + 1));
  }
  // HLO prints computations at the margin, each with its brace; a lone name opens one of short form.
  if (!rest.ends_with('{') || rest.starts_with("HloModule") || line.front() == ' ') return {};
  if (rest.starts_with("ENTRY ")) rest = trim(rest.substr(6));
  if (!rest.empty() && rest.front() == '%') rest.remove_prefix(1);
  const std::string_view name = name_at(rest);
  return name.find_first_of("\"@#=,") == std::string_view::npos && name != "module" ? name
                                                                                    : std::string_view();
}

IndexedText::IndexedText(std::string text) {
  CHECK(static_cast<int64_t>(text.size()) <= kMostBytes);
  auto base = std::make_shared<Base>();
  base->text = std::move(text);
  index(*base);
  base_ = std::move(base);
}

std::string_view IndexedText::line_in(const Base& base, size_t number) {
  const size_t start = base.starts[number];
  size_t end = number + 1 < base.starts.size() ? base.starts[number + 1] - 1 : base.text.size();
  if (end > start && base.text[end - 1] == '\r') --end;
  return std::string_view(base.text).substr(start, end - start);
}

// The place in the table that holds the instruction's line, or is free for it.
size_t IndexedText::find(const Base& base, std::string_view instruction) {
  const size_t mask = base.table.size() - 1;
  size_t at = std::hash<std::string_view>()(instruction) & mask;
  while (base.table[at] != kEmpty &&
         instruction_on(line_in(base, static_cast<size_t>(base.table[at]))) != instruction)
    at = (at + 1) & mask;
  return at;
}

void IndexedText::index(Base& base) {
  const std::string_view text = base.text;
  base.starts.reserve(static_cast<size_t>(std::ranges::count(text, '\n')) + 1);
  base.starts.push_back(0);
  for (size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    base.starts.push_back(static_cast<uint32_t>(at + 1));
  base.table.assign(std::bit_ceil(base.starts.size() * 2), kEmpty);
  for (size_t k = 0; k < base.starts.size(); ++k) {
    const std::string_view line = line_in(base, k);
    base.longest = std::max(base.longest, line.size());
    if (line.empty()) continue;
    if (const std::string_view name = instruction_on(line); !name.empty()) {
      int32_t& place = base.table[find(base, name)];
      if (place == kEmpty) place = static_cast<int32_t>(k);
    } else if (!computation_on(line).empty()) {
      base.openings.push_back(static_cast<int>(k));
      for (const MlirLineArgument& each : mlir_arguments_on(line))
        base.arguments.try_emplace(std::string(each.name), static_cast<int32_t>(k));
    }
  }
}

std::string_view IndexedText::line(int number) const {
  if (number < 0 || number >= lineCount()) return {};
  if (const auto changed = changed_.find(number); changed != changed_.end()) return changed->second;
  return line_in(*base_, static_cast<size_t>(number));
}

int IndexedText::lineOf(std::string_view instruction) const {
  if (instruction.empty()) return kEmpty;
  if (const int32_t line = base_->table[find(*base_, instruction)]; line != kEmpty) return line;
  const auto argument = base_->arguments.find(instruction);
  return argument == base_->arguments.end() ? kEmpty : argument->second;
}

IndexedText IndexedText::withLine(int number, std::string text) const {
  CHECK(number >= 0 && number < lineCount());
  IndexedText out = *this;
  if (text == line_in(*base_, static_cast<size_t>(number)))
    out.changed_.erase(number);
  else
    out.changed_[number] = std::move(text);
  return out;
}

std::string IndexedText::text() const {
  if (changed_.empty()) return base_->text;
  std::string out;
  out.reserve(base_->text.size() + 4096);
  size_t from = 0;
  for (const auto& [number, text] : changed_) {
    const std::string_view before = line_in(*base_, static_cast<size_t>(number));
    const size_t start = base_->starts[static_cast<size_t>(number)];
    out.append(base_->text, from, start - from).append(text);
    from = start + before.size();
  }
  return out.append(base_->text, from);
}

}  // namespace shardscope::inline window
