// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <sys/utsname.h>
#include <unistd.h>

#include "app/cli/output/findings.h"
#include "engine/base/machine/memory_here.h"
#include "engine/base/machine/processor.h"
#include "engine/base/parallel.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/numerics/product/micro_kernel.h"
#include "engine/trace/workspace.h"

namespace shardscope::inline cli {
namespace {

std::string distribution() {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("PRETTY_NAME=")) continue;
    const std::string name = line.substr(line.find('=') + 1);
    return name.size() > 1 && name.front() == '"' ? name.substr(1, name.size() - 2) : name;
  }
  return "unknown system";
}

Finding system_found() {
  utsname kernel{};
  uname(&kernel);
  Finding out{"system", "System"};
  out.found = fmt::format("{}, {} {} on {}", distribution(), kernel.sysname, kernel.release, kernel.machine);
  out.values = {{"distribution", distribution()}, {"kernel", kernel.release}, {"machine", kernel.machine}};
  return out;
}

Finding processor_found() {
  const Processor processor = this_processor();
  Finding out{"processor", "Processor"};
  const std::string units = processor.units.empty() ? "none" : join(processor.units, ", ");
  out.found = fmt::format("{}; vector units: {}; products run with {}", processor.model, units,
                          kernel_name(best_isa()));
  if (best_isa() == Isa::baseline) {
    out.health = Health::lacking;
    out.advice = "products are several times slower without avx2 and fma";
  }
  out.values = {{"model", processor.model}, {"units", processor.units}, {"kernel", kernel_name(best_isa())}};
  return out;
}

// Of the control group, in processors: "150000 100000" is 1.5.
std::optional<double> processor_quota() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  double quota = 0, period = 0;
  if (file >> quota >> period && period > 0) return quota / period;
  return std::nullopt;
}

Finding threads_found() {
  const int threads = Workers().threads();
  Finding out{"threads", "Threads"};
  out.found = fmt::format("{}, as many as there are cores to run on", threads);
  out.values = {{"threads", threads}, {"quota", nullptr}};
  if (const auto quota = processor_quota(); quota && *quota < threads) {
    out.health = Health::lacking;
    out.found += fmt::format("; the control group allows {:.1f} of their time", *quota);
    out.advice = fmt::format("--threads {} measures steadier", std::max(1, static_cast<int>(*quota)));
    out.values["quota"] = *quota;
  }
  return out;
}

nlohmann::ordered_json bytes_or_null(const std::optional<int64_t>& bytes) {
  return bytes ? nlohmann::ordered_json(*bytes) : nlohmann::ordered_json(nullptr);
}

Finding memory_found() {
  const MemoryHere memory = memory_here();
  const auto bytes = [](int64_t n) { return format_bytes(static_cast<double>(n)); };
  Finding out{"memory", "Memory"};
  out.found = fmt::format("{} of {} available", bytes(memory.available), bytes(memory.total));
  out.found += memory.group_limit ? fmt::format("; the control group allows {}, {} are taken",
                                                bytes(*memory.group_limit), bytes(*memory.group_used))
                                  : std::string("; no limit of a control group");
  if (memory.address_limit) out.found += "; ulimit -v allows " + bytes(*memory.address_limit);
  if (memory.data_limit) out.found += "; ulimit -d allows " + bytes(*memory.data_limit);
  constexpr int64_t kLittle = int64_t{2} << 30;
  if (memory.usable() < kLittle) {
    out.health = Health::lacking;
    out.advice = "large arrays will be refused; --numerics off times a run without them";
  }
  out.values = {{"total_bytes", memory.total},
                {"available_bytes", memory.available},
                {"group_limit_bytes", bytes_or_null(memory.group_limit)},
                {"group_used_bytes", bytes_or_null(memory.group_used)},
                {"address_limit_bytes", bytes_or_null(memory.address_limit)},
                {"data_limit_bytes", bytes_or_null(memory.data_limit)},
                {"usable_bytes", memory.usable()}};
  return out;
}

std::string temporary_folder() {
  std::error_code problem;
  const auto folder = std::filesystem::temp_directory_path(problem);
  return problem ? "/tmp" : folder.string();
}

// A workspace is made, opened again and asked: what recording a run needs.
Result<std::string> sqlite_version_of_a_new_file() {
  std::string folder = temporary_folder() + "/shardscope-doctor-" + std::string(6, 'X');
  if (mkdtemp(folder.data()) == nullptr) return io_error("cannot make a folder", temporary_folder());
  const auto work = [&]() -> Result<std::string> {
    const std::string path = folder + "/doctor.shardscope";
    {
      TRY(const std::shared_ptr<Workspace> made, Workspace::open(path));
      TRY_VOID(made->keep("doctor", "kept"));
      TRY_VOID(made->wait());
    }
    TRY(const std::shared_ptr<Workspace> again, Workspace::open(path, true));
    TRY(const QueryResult version, again->query("SELECT sqlite_version()", 1));
    return version.rows.at(0).at(0);
  };
  Result<std::string> out = work();
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return out;
}

Finding record_found() {
  Finding out{"record", "Record"};
  const Result<std::string> version = sqlite_version_of_a_new_file();
  std::error_code problem;
  const auto space = std::filesystem::space(temporary_folder(), problem);
  out.values = {{"sqlite", nullptr}, {"folder", temporary_folder()}, {"free_bytes", nullptr}};
  if (!problem) out.values["free_bytes"] = static_cast<int64_t>(space.available);
  if (!version.ok()) {
    out.health = Health::broken;
    out.found = "a workspace cannot be made: " + version.error().text();
    out.advice = "set TMPDIR to a folder that can be written";
    return out;
  }
  out.found = fmt::format("SQLite {}; a workspace was made and read in {}{}", *version, temporary_folder(),
                          problem ? "" : ", " + format_bytes(static_cast<double>(space.available)) + " free");
  out.values["sqlite"] = *version;
  return out;
}

}  // namespace

std::string_view name(Health health) {
  return health == Health::fine ? "fine" : health == Health::lacking ? "lacking" : "broken";
}

std::vector<Finding> machine_findings() {
  return {system_found(), processor_found(), threads_found(), memory_found(), record_found()};
}

}  // namespace shardscope::inline cli
