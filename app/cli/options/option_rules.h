// SPDX-License-Identifier: Apache-2.0
// What holds for every option of every command, whoever added it: how numbers are read, which word is whose
// value, what the name of a file may be. A command says what an option is by its type.
#pragma once

#include <optional>

#include "engine/base/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace shardscope::inline cli {

// Types of options that name files, as --help shows them.
inline constexpr const char* kInputFile = "FILE";
inline constexpr const char* kWorkspaceFile = "WORKSPACE";
inline constexpr const char* kOutputFile = "OUTPUT";  // "-" is stdout
inline constexpr const char* kOutputArray = "ARRAY";  // an NPY file, never stdout
inline constexpr const char* kInputFolder = "DIRECTORY";
inline constexpr const char* kOutputFolder = "FOLDER";  // made when it is not there
inline constexpr const char* kReportFile = "REPORT";    // a file, or a folder without an ending

// Before the words are read: whole numbers are decimals (010 is ten, 0x10 none) within the type's range,
// numbers are finite, and an option that may come several times takes one word each time.
void settle_options(CLI::App& app);

// An option at whose value's place another option stands, or nothing.
std::optional<Error> missing_value(const CLI::App& app, int argc, char** argv);

// What no option and no place took of the words, and the option that was perhaps meant by the first of them.
Error unexpected_words(const CLI::App& app);

// After the words are read and before any work: names are not empty, files to be written have a folder that
// takes them, stdout gets one thing.
Result<void> check_files(const CLI::App& app);

}  // namespace shardscope::inline cli
