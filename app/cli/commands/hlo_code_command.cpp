// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "app/cli/commands/hlo_commands.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/output.h"
#include "engine/session/modules/module_source.h"

namespace shardscope::inline cli {
namespace {

struct CodeOptions : HloOptions {
  std::string output;
};

Result<int> write_code(const CodeOptions& options, std::stop_token stop) {
  TRY(const Program module, read_module(options, stop));
  TRY(PartitionOptions how, partition_options(options));
  how.stop = std::move(stop);
  TRY(const std::string source, module_source(module, how));
  TRY_VOID(write_output(source, options.output));
  return kExitDone;
}

}  // namespace

Command add_hlo_code_command(CLI::App& hlo) {
  CLI::App* command = hlo.add_subcommand(
      "code",
      "Write the program of one device as JAX source with shard_map; the module is partitioned first");
  auto options = std::make_shared<CodeOptions>();
  add_hlo_file(*command, *options);
  add_partition_options(*command, *options);
  command->add_option("-o,--output", options->output, "A file of Python (default: stdout)")
      ->type_name(kOutputFile);
  return [options](std::stop_token stop) { return write_code(*options, std::move(stop)); };
}

}  // namespace shardscope::inline cli
