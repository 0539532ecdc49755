// SPDX-License-Identifier: Apache-2.0
#include "engine/program/text/hlo_header.h"

#include <algorithm>

#include "engine/program/text/aliases.h"
#include "engine/program/text/attribute_order.h"
#include "engine/program/text/hlo_module_text.h"

namespace shardscope::inline program {
namespace {

// Other keys hold anything.
Result<void> check_aliases(std::string_view key, std::string_view value) {
  if (key != kAliases && key != kDonors) return {};
  const auto read = read_aliases(key, value);
  return read.ok() ? Result<void>() : read.error();
}

Result<bool> read_header_line(HloLexer& lexer, Program& program) {
  TRY(const std::string_view name, lexer.expect_word("a module name"));
  program.name = std::string(name);
  lexer.accept(":");
  const size_t place = lexer.position();
  ModuleEntries entries;
  int64_t partitions = 0;
  while (lexer.accept(",")) {
    TRY(const std::string_view key, lexer.expect_word("a module attribute"));
    if (!lexer.accept("=")) {
      program.verbatim.push_back({std::string(key), ""});
    } else if (key == "num_partitions") {
      TRY(partitions, lexer.expect_integer("a number of partitions"));
      if (partitions < 1 || partitions > Mesh::kMaxDevices)
        return lexer.error_at(place, "num_partitions=" + std::to_string(partitions) + ", expected 1 to 2^20");
    } else if (key == "frontend_attributes") {
      TRY(std::string others, read_entries(lexer, ',', [&](std::string_view k, const std::string& value) {
            return entries.take(k, value);
          }));
      if (!others.empty()) program.verbatim.push_back({std::string(key), std::move(others)});
    } else {
      const size_t start = lexer.position();
      TRY(const std::string_view value, lexer.balanced());
      if (auto fits = check_aliases(key, value); !fits.ok())
        return lexer.error_at(start, std::string(key) + ": " + fits.error().what);
      program.verbatim.push_back({std::string(key), std::string(value)});
    }
  }
  // As they are printed, so that a program and its text are the same.
  std::ranges::stable_sort(program.verbatim, {},
                           [](const VerbatimAttribute& a) { return place_in_header(a.key); });
  if (auto done = std::move(entries).finish(partitions, program); !done.ok())
    return lexer.error_at(place, done.error().what);
  const auto replicas = std::ranges::find(program.verbatim, "replica_count", &VerbatimAttribute::key);
  return partitions > 1 || program.mesh.rank() > 0 ||
         (replicas != program.verbatim.end() && replicas->value != "1");
}

// Source locations that compilers append; metadata refers to them by number.
void read_source_tables(HloLexer& lexer, Program& program) {
  for (;;) {
    const size_t place = lexer.position();
    const std::string_view name = lexer.word();
    if (name != "FileNames" && name != "FunctionNames" && name != "FileLocations" && name != "StackFrames") {
      lexer.rewind(place);
      return;
    }
    SourceTable table{std::string(name), {}};
    while (lexer.peek() >= '0' && lexer.peek() <= '9') {
      table.rows.emplace_back(lexer.rest_of_line());
      lexer.skip_line();
    }
    program.source_tables.push_back(std::move(table));
  }
}

}  // namespace

std::vector<size_t> module_starts(std::string_view text) {
  std::vector<size_t> starts;
  for (size_t at = text.find(kModuleWord); at != std::string_view::npos; at = text.find(kModuleWord, at + 1))
    if (at == 0 || text[at - 1] == '\n') starts.push_back(at);
  return starts;
}

Result<bool> read_hlo_header(HloLexer& lexer, Program& program) {
  TRY(const bool says_devices, read_header_line(lexer, program));
  read_source_tables(lexer, program);
  return says_devices;
}

}  // namespace shardscope::inline program
