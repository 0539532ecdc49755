// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/kernel_pallas_commands.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "app/cli/commands/kernel_request.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/output.h"
#include "engine/base/read_file.h"
#include "engine/base/text.h"
#include "engine/kernels/machine/schedule.h"
#include "engine/kernels/pallas/pallas.h"
#include "engine/kernels/program/expected.h"
#include "engine/kernels/text/parser.h"
#include "engine/kernels/text/print.h"

namespace shardscope::inline cli {
namespace {

// What `kernel read` has of its own, and the dialect of `kernel code`.
struct PallasOptions {
  std::string function, result, dialect = "tpu";
};

Result<int> code(const KernelCommandOptions& options, const PallasOptions& pallas) {
  TRY(const RequestedKernel asked, read_request(options));
  const bool gpu = pallas.dialect == "mosaic-gpu";
  if (!gpu && pallas.dialect != "tpu")
    return invalid(fmt::format("unknown dialect '{}'", pallas.dialect), "--dialect", "use tpu or mosaic-gpu");
  TRY(const std::string text, gpu ? kernels::mosaic_gpu_code(asked.entry, asked.sizes)
                                  : kernels::pallas_code(asked.entry, asked.sizes));
  TRY_VOID(write_output(text, options.output));
  return kExitDone;
}

// The kernel's text as python3 writes it, or what it says is wrong, as "line:column: what".
struct Converted {
  bool started = false, well = false;
  std::string out, problem;
};

struct Closed {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, Closed>;

std::string content(std::FILE* file) {
  std::string out;
  std::rewind(file);
  std::array<char, 4096> part{};
  while (const size_t count = std::fread(part.data(), 1, part.size(), file)) out.append(part.data(), count);
  return out;
}

// Whether it ended well; a process that takes too long, or is not wanted any more, is ended.
bool ended_well(pid_t process, const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kGlance(10), kPatience(20'000);
  int status = 0;
  pid_t ended = 0;
  for (auto waited = kGlance; (ended = waitpid(process, &status, WNOHANG)) == 0; waited += kGlance) {
    if (stop.stop_requested() || waited > kPatience) kill(process, SIGKILL);
    std::this_thread::sleep_for(kGlance);
  }
  return ended == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Converted convert(const std::string& path, const PallasOptions& pallas, const std::stop_token& stop) {
  Converted out;
  const TemporaryFile written(std::tmpfile()), said(std::tmpfile());
  if (!written || !said) return out;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, path.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, fileno(written.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, fileno(said.get()), STDERR_FILENO);
  std::array<std::string, 6> words = {"python3",       "-I",         "-c", kernels::pallas_reader(),
                                      pallas.function, pallas.result};
  std::array<char*, 7> arguments{};
  for (size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
  pid_t process = 0;
  out.started = posix_spawnp(&process, "python3", &files, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&files);
  if (!out.started) return out;
  out.well = ended_well(process, stop);
  out.out = content(written.get());
  out.problem = std::string(trim(content(said.get())));
  return out;
}

Result<int> read(const KernelCommandOptions& options, const PallasOptions& pallas,
                 const std::stop_token& stop) {
  if (!pallas.result.empty() && kernels::expected_result(pallas.result) == nullptr) {
    std::vector<std::string> names;
    for (const kernels::ExpectedResult& known : kernels::expected_results()) names.emplace_back(known.name);
    return invalid(fmt::format("there is no result '{}'", pallas.result), "--result",
                   "use " + join(names, ", "));
  }
  TRY_VOID(read_file(options.id, kernels::kMostKernelText));  // what is wrong with the file itself
  const Converted converted = convert(options.id, pallas, stop);
  if (stop.stop_requested()) return cancelled();
  if (!converted.started)
    return invalid("reading Pallas needs python3, which is not there", options.id, "install python3");
  if (!converted.well) {
    const size_t place = converted.problem.find(": ");
    const bool placed = place != std::string::npos && converted.problem.find('\n') == std::string::npos;
    if (!placed) return invalid("python3 could not read the file", options.id);
    return invalid(converted.problem.substr(place + 2),
                   options.id + ":" + converted.problem.substr(0, place));
  }
  TRY(const kernels::KernelText text, kernels::parse_kernel_text(converted.out, options.id));
  TRY_VOID(write_output(print_kernel(text), options.output));
  return kExitDone;
}

}  // namespace

Command add_kernel_pallas_commands(CLI::App& kernel) {
  auto options = std::make_shared<KernelCommandOptions>();
  auto pallas = std::make_shared<PallasOptions>();
  CLI::App* codes =
      kernel.add_subcommand("code", "Write a kernel in Pallas, with what runs it under JAX's interpreter");
  add_kernel_options(*codes, *options);
  CLI::App* reads =
      kernel.add_subcommand("read", "Read a kernel that is written in Pallas, by hand or by kernel code");
  reads->add_option("file", options->id, "A Python file")->required()->type_name(kInputFile);
  codes->add_option("--dialect", pallas->dialect, "tpu, or mosaic-gpu for GPUs (default: tpu)");
  reads->add_option("--function", pallas->function, "Of several kernels the one with this function's name");
  reads->add_option("--result", pallas->result,
                    "What its output should hold, as a kernel's line result says");
  for (CLI::App* command : {codes, reads})
    command->add_option("-o,--output", options->output, "Write to this file (default: stdout)")
        ->type_name(kOutputFile);
  return [options, pallas, codes](const std::stop_token& stop) {
    return codes->parsed() ? code(*options, *pallas) : read(*options, *pallas, stop);
  };
}

}  // namespace shardscope::inline cli
