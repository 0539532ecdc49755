// SPDX-License-Identifier: Apache-2.0
// The parts of `shardscope hlo …`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/commands/commands.h"
#include "engine/partition/entry/partition.h"
#include "engine/program/text/hlo_text.h"

namespace shardscope::inline cli {

// What the subcommands that read and partition one module share, as typed.
struct HloOptions {
  std::string file;
  std::string module;                   // of a file of several; empty: the first
  std::vector<std::string> operations;  // files
  std::optional<int64_t> devices;
  std::string dialect = "current", propagate = "on";
  std::optional<double> windowed_einsum_mib;
  std::string unroll = "off", bidirectional = "off";
  std::map<std::string, std::string, std::less<>> asked;  // fields of a module's run, by key
  bool json = false, quiet = false;
};
void add_hlo_file(CLI::App& command, HloOptions& options);
// --devices
void add_devices(CLI::App& command, HloOptions& options);
void add_partition_options(CLI::App& command, HloOptions& options);
// The field of that name, for commands that do not have all fields of a module's run.
void add_propagation(CLI::App& command, HloOptions& options);
// Whose partitioner, for commands that do not have all fields either.
void add_partitioner(CLI::App& command, HloOptions& options);
void add_check(CLI::App& command, std::string& check);
void add_quiet(CLI::App& command, HloOptions& options);
Result<PartitionOptions> partition_options(const HloOptions& options);
// A module of at most 1 GiB of text; where it is cut, stderr says so.
// Of a file of several modules the one of this name, or the first; stderr says so, unless it is to be quiet.
Result<HloText> read_module_text(const HloOptions& options, const std::stop_token& stop);
Result<HloText> read_module_text(const std::string& file, const std::stop_token& stop);
Result<Program> read_module(const HloOptions& options, const std::stop_token& stop);
Result<Program> read_module(const std::string& file, const std::stop_token& stop);
// What names a module as its files are now, for kept().
std::string module_key(const HloOptions& options);
// What came of a command on a module; an error of an instruction says its line, where the text does not have
// the instruction by its name.
Result<int> at_its_line(const HloOptions& options, Result<int> done, const std::stop_token& stop);
Result<bool> on_or_off(const std::string& text, const char* option);

Command add_hlo_partition_command(CLI::App& hlo);
Command add_hlo_run_command(CLI::App& hlo);
Command add_hlo_diff_command(CLI::App& hlo);
Command add_hlo_ops_command(CLI::App& hlo);
Command add_hlo_types_command(CLI::App& hlo);
Command add_hlo_code_command(CLI::App& hlo);
Command add_hlo_grad_command(CLI::App& hlo);

}  // namespace shardscope::inline cli
