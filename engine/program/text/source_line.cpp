// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "engine/base/text.h"
#include "engine/program/text/hlo_lexer.h"
#include "engine/program/text/hlo_text.h"

namespace shardscope::inline program {
namespace {

// The value of "key=" among blank-separated entries: {a=1 b="two"}.
std::string entry_value(std::string_view entries, std::string_view key) {
  for (size_t at = entries.find(key); at != std::string_view::npos; at = entries.find(key, at + 1)) {
    const size_t equals = at + key.size();
    const bool starts = at == 0 || entries[at - 1] == ' ' || entries[at - 1] == '{';
    if (!starts || equals >= entries.size() || entries[equals] != '=') continue;
    HloLexer lexer(entries.substr(equals + 1), "entry");
    const auto value = lexer.balanced(" ");
    return value.ok() ? unquote(*value) : std::string();
  }
  return "";
}

// The row of a table that begins with `number`, without it. Compilers number rows from 1 on.
std::string_view row_of(const Program& program, std::string_view table, int64_t number) {
  const auto behind_number = [&](std::string_view row) -> std::optional<std::string_view> {
    const size_t end = std::min(row.find(' '), row.size());
    if (parse_int(row.substr(0, end)) != number) return std::nullopt;
    return trim(row.substr(end));
  };
  for (const SourceTable& t : program.source_tables) {
    if (t.name != table) continue;
    const auto place = static_cast<size_t>(std::max(number - 1, int64_t{0}));
    if (place < t.rows.size())
      if (const auto row = behind_number(t.rows[place])) return *row;
    for (const std::string& row : t.rows)
      if (const auto found = behind_number(row)) return *found;
  }
  return {};
}

int64_t number_in(std::string_view entries, std::string_view key) {
  return parse_int(entry_value(entries, key)).value_or(0);
}

std::string with_line(const std::string& file, const std::string& line) {
  return file.empty() || line.empty() ? file : file + ":" + line;
}

// A frame by its number: its place, and who called it (0: nobody).
struct Frame {
  std::string file, line;
  int64_t caller = 0;
};
Frame frame_at(const Program& program, int64_t number) {
  const std::string_view frame = row_of(program, "StackFrames", number);
  const std::string_view location = row_of(program, "FileLocations", number_in(frame, "file_location_id"));
  return {unquote(row_of(program, "FileNames", number_in(location, "file_name_id"))),
          entry_value(location, "line"),
          number_in(frame, "parent_frame_id") - 1};  // XLA counts callers from 1
}

// The innermost frame of the user's own code; where all is a library's, the innermost of all.
std::string line_of_frame(const Program& program, int64_t number) {
  constexpr int kDeepest = 256;  // a broken table may go in a circle
  const Frame innermost = frame_at(program, number);
  Frame frame = innermost;
  for (int depth = 0; depth < kDeepest; ++depth) {
    if (frame.file.empty()) break;
    if (is_users_file(frame.file)) return with_line(frame.file, frame.line);
    if (frame.caller < 1) break;
    frame = frame_at(program, frame.caller);
  }
  return with_line(innermost.file, innermost.line);
}

}  // namespace

bool is_users_file(std::string_view path) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/", "/lib/python3"})
    if (path.find(folder) != std::string_view::npos) return false;
  return !path.starts_with('<');
}

std::string source_line(const Program& program, const Instruction& instruction) {
  for (const VerbatimAttribute& attribute : instruction.verbatim) {
    if (attribute.key != "metadata") continue;
    const std::string file = entry_value(attribute.value, "source_file");
    const int64_t frame = number_in(attribute.value, "stack_frame_id");
    if (frame > 0) {
      std::string line = line_of_frame(program, frame);
      if (!line.empty()) return line;
    }
    if (!file.empty()) return with_line(file, entry_value(attribute.value, "source_line"));
  }
  return "";
}

}  // namespace shardscope::inline program
