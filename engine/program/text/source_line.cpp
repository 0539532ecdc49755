// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/base/text.h"
#include "engine/program/text/hlo_lexer.h"
#include "engine/program/text/hlo_text.h"

namespace shardscope {
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

// The row of a table that begins with `number`, without it.
std::string_view row_of(const Program& program, std::string_view table, std::string_view number) {
  for (const SourceTable& t : program.source_tables) {
    if (t.name != table) continue;
    for (const std::string& row : t.rows) {
      const size_t end = std::min(row.find(' '), row.size());
      if (std::string_view(row).substr(0, end) == number) return trim(std::string_view(row).substr(end));
    }
  }
  return {};
}

std::string with_line(const std::string& file, const std::string& line) {
  return file.empty() || line.empty() ? file : file + ":" + line;
}

}  // namespace

bool is_users_file(std::string_view path) {
  return path.find("/site-packages/") == std::string_view::npos &&
         path.find("/dist-packages/") == std::string_view::npos;
}

std::string source_line(const Program& program, const Instruction& instruction) {
  for (const VerbatimAttribute& attribute : instruction.verbatim) {
    if (attribute.key != "metadata") continue;
    const std::string file = entry_value(attribute.value, "source_file");
    if (!file.empty()) return with_line(file, entry_value(attribute.value, "source_line"));
    const std::string frame = entry_value(attribute.value, "stack_frame_id");
    if (frame.empty()) continue;
    const std::string location = entry_value(row_of(program, "StackFrames", frame), "file_location_id");
    const std::string_view row = row_of(program, "FileLocations", location);
    const std::string_view name = row_of(program, "FileNames", entry_value(row, "file_name_id"));
    return with_line(unquote(name), entry_value(row, "line"));
  }
  return "";
}

}  // namespace shardscope
