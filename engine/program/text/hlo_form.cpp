// SPDX-License-Identifier: Apache-2.0
// In which form a text of HLO is, looked at line by line without reading it.
#include <algorithm>

#include "engine/base/text.h"
#include "engine/program/text/hlo_text.h"

namespace shardscope::inline program {
namespace {

// The place behind the bracket that opens at `at`, the text's end where it stays open.
size_t behind_bracket(std::string_view text, size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    depth += text[at] == '(' || text[at] == '{' || text[at] == '[' ? 1 : 0;
    depth -= text[at] == ')' || text[at] == '}' || text[at] == ']' ? 1 : 0;
    if (depth == 0) return at + 1;
  }
  return text.size();
}

// Of "%a = f32[2] add(f32[2] %x, %y), …" what stands in the operation's parentheses; "" where nothing does,
// and of constants and parameters.
std::string_view operands_on(std::string_view line) {
  const size_t equals = line.find(" = ");
  if (equals == std::string_view::npos) return {};
  size_t at = equals + 3;
  if (at < line.size() && line[at] == '(') at = behind_bracket(line, at);
  const size_t open = line.find('(', std::min(line.find(' ', at), line.size()));
  if (open == std::string_view::npos) return {};
  const size_t blank = line.rfind(' ', open);
  const std::string_view opcode = line.substr(blank + 1, open - blank - 1);
  if (opcode == "constant" || opcode == "parameter") return {};
  return line.substr(open + 1, behind_bracket(line, open) - open - 2);
}

size_t commas(std::string_view operands) {
  size_t count = 0;
  for (size_t at = 0; at < operands.size();) {
    count += operands[at] == ',' ? 1 : 0;
    const char c = operands[at];
    at = c == '(' || c == '[' || c == '{' ? behind_bracket(operands, at) : at + 1;
  }
  return count;
}

}  // namespace

HloForm form_of(std::string_view text) {
  HloForm form;
  bool computation = false, operands = false;
  form.operand_marks = text.find("/*index=5*/") != std::string_view::npos;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trim(text.substr(at, end - at));
    at = end + 1;
    if (const std::string_view said = operands_on(line); !said.empty()) {
      if (!operands)
        form.operand_shapes = said.find('[') != std::string_view::npos || said.starts_with("token");
      operands = true;
      if (commas(said) < 5) continue;
      form.operand_marks = said.find("/*index=5*/") != std::string_view::npos;
      break;  // nothing is left to be seen
    }
    if (computation || !line.ends_with('{') || line.starts_with("HloModule")) continue;
    computation = true;
    form.signatures = line.find("->") != std::string_view::npos;
    form.sigils = line.starts_with('%') || line.starts_with("ENTRY %");
  }
  return form;
}

}  // namespace shardscope::inline program
