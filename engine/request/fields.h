// SPDX-License-Identifier: Apache-2.0
// The one table of what can be asked. The command line and its help, preset and experiment files, JSON, the
// record, the axes of a sweep, ignored_options and the window's forms are loops over it: a new option is a
// row here (and the member it is about) and whoever acts on it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/request/experiment.h"

namespace shardscope::inline request {

// Whose a value is, and its section of an experiment file: the top, [mesh], [problem], [check], each [[run]].
// Execution has none: it is of the command that runs.
enum class Scope : uint8_t { experiment, mesh, problem, check, run, execution };

// How a format that knows more than text writes it: true, 8, "auto", ["…"], { row = "b" }.
enum class Spelling : uint8_t { text, flag, count, number, list, pairs };

// Doors that are not open to every field; files, JSON and record take them all (but Scope::execution).
enum Door : uint8_t {
  kOption = 1,     // an option of the command line
  kAxis = 2,       // can be swept over
  kRow = 4,        // a row of the window's forms
  kOwnTables = 8,  // in a file tables of its own instead of a key
  kRequired = 16,  // a file must say it
  kRepeats = 32,   // an option that may come several times, its values in a row
  kModule = 64,    // of a run of a module too
  kWhatIf = 128,   // asked of a run that is there: relative to what it has
};

// How a value is got from its owner and put there; "" is what nobody said.
template <class Owner>
struct Access {
  std::function<std::string(const Owner&)> print;
  std::function<Result<void>(Owner&, std::string_view)> parse;
};

struct Range {
  int64_t least = 0;
  std::optional<int64_t> most{};
};

struct Field {
  std::string key;  // "in-lhs": --in-lhs, and in_lhs where keys are identifiers
  Scope scope = Scope::experiment;
  Spelling spelling = Spelling::text;
  int doors = 0;
  std::string help{};                  // a sentence for people
  std::string unit{};                  // of a number; may be empty
  std::string unsaid{};                // what stands for "", where that is not the printed default
  std::vector<std::string> values{};   // all words there are; empty: anything that parses
  std::vector<std::string> offered{};  // of those that have none: what a form lists
  std::optional<Range> range{};        // of a number
  std::string file{};                  // key in files and JSON
  // Of an experiment, of one of its runs (its own value, laid over the experiment's), of an execution.
  std::optional<Access<Experiment>> experiment{};
  std::optional<Access<RunRequest>> run{};
  std::optional<Access<ExecutionSettings>> execution{};

  bool has(Door door) const { return (doors & door) != 0; }
};

const std::vector<Field>& fields();
const Field* find_field(std::string_view key);  // null when there is none

// Refuses a number outside `range`: "'slices' must be at least 1, got 0". Not for what is no number.
Result<void> check_range(const Field& field, std::string_view text);
// Of a field with `values` those, in a row: "f32, bf16 or f16".
std::string words_of(const Field& field);
// What a fresh experiment, run or execution has.
std::string default_text(const Field& field);
// For the command line's help: what it is, its words, its default, who reads it.
std::string help_text(const Field& field);

// Of Scope::run: whether a strategy looks at it, and the ids of all that do.
bool reads(const Strategy& strategy, const Field& field);
std::vector<std::string> readers(const Field& field);
// The strategy's options that were set although it does not read them, by key.
std::vector<std::string> ignored_options(const Strategy& strategy, const RunRequest& request);

// Puts `text` into one run.
Result<void> put(const Field& field, RunRequest& run, std::string_view text);
// Into the experiment, its runs giving up what they had of their own; of Scope::run into every run.
Result<void> put(const Field& field, Experiment& experiment, std::string_view text);
Result<void> put(const Field& field, ExecutionSettings& execution, std::string_view text);

// `error` with `place` in front of its own.
Error placed(Error error, const std::string& place);

}  // namespace shardscope::inline request
