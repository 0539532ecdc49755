// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/import.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "engine/base/text.h"
#include "engine/measure/import/format.h"
#include "engine/measure/import/import_profile.h"
#include "engine/measure/import/profile_folder.h"
#include "engine/measure/import/reader.h"

namespace shardscope::inline measure {
namespace {

Result<void> read_file_into(const std::string& path, Importing& into) {
  TRY(const ProfileFormat format, format_of(path, into.context));
  switch (format) {
    case ProfileFormat::json:
      return read_json_profile(path, into);
    case ProfileFormat::xplane:
      return read_xplane(path, into);
    case ProfileFormat::nsys:
      return read_nsys(path, into);
    case ProfileFormat::nccl_tests:
      return read_nccl_tests(path, into);
    case ProfileFormat::nccl_json:
      return read_nccl_json(path, into);
    case ProfileFormat::csv:
      return read_points_csv(path, into);
  }
  return {};
}

// An error that does not say where is of the file that was read.
Error in_file(Error error, const std::string& path) {
  if (error.where.empty()) error.where = path;
  return error;
}

Result<std::string> read_all(const std::vector<std::string>& files, Importing& into) {
  std::string format;
  for (const std::string& path : files) {
    into.file = std::filesystem::path(path).filename().string();
    into.host.clear();
    if (const Result<void> read = read_file_into(path, into); !read.ok()) return in_file(read.error(), path);
    if (!format.empty() && format != into.format)
      return invalid(fmt::format("the files are of two formats, {} and {}", format, into.format), path,
                     "import them one by one: files of one import are hosts of the same run");
    format = into.format;
    ++into.file_number;
  }
  return format;
}

bool knows_any(const ModuleIndex& module, const Profile& profile) {
  return std::ranges::any_of(profile.operations, [&](const ProfiledOperation& o) {
    return o.matched && o.module == module.name() && module.has(o.op);
  });
}

std::vector<ProfiledModule> used_modules(Modules& modules, const Profile& profile) {
  std::map<std::pair<std::string, int64_t>, std::shared_ptr<const Program>> used;
  for (const ProfiledOperation& o : profile.operations)
    if (const ModuleIndex* module = o.matched && !o.module.empty() ? modules.of(o) : nullptr)
      used.try_emplace({o.module, o.program}, module->program());
  std::vector<ProfiledModule> out;
  for (const auto& [of, text] : used) out.push_back({of.first, of.second, text});
  return out;
}

// Folders give way to the newest profiles in them, which notes name.
Result<std::vector<std::string>> files_of(const std::vector<std::string>& given, TraceBuilder& builder,
                                          const std::stop_token& stop) {
  std::vector<std::string> out;
  for (const std::string& path : given) {
    TRY(const auto in_folder, newest_profile(path, stop));
    if (!in_folder) {
      out.push_back(path);
      continue;
    }
    builder.note(
        fmt::format("of the folder {} its newest profile is read: {}", path, join(*in_folder, ", ")));
    out.insert(out.end(), in_folder->begin(), in_folder->end());
  }
  return out;
}

// What a profiler that was not told of the devices leaves.
Error no_device_work(const std::string& format, const std::string& file) {
  if (format == "kineto")
    return invalid("the profile holds what PyTorch did on the CPU alone, no work of a device", file,
                   "profile with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA] while a GPU works");
  return invalid("the profile has no work of a device", file, "profile while the devices are busy");
}

}  // namespace

Result<Profile> import_profile(const std::vector<std::string>& given, const ImportOptions& options) {
  if (given.empty()) return invalid("no file to import");
  TraceBuilder builder;
  TRY(const std::vector<std::string> files, files_of(given, builder, options.stop));
  if (files.size() > 4096) return too_big("more than 4096 files");
  Modules modules;
  if (!options.hlo_file.empty()) TRY_VOID(modules.read(options.hlo_file));
  const ReadingContext context{options.stop, options.progress};
  Importing into{builder, modules, context, 0, "", "", 0, files.size() > 1, "", ""};
  TRY(const std::string format, read_all(files, into));
  if (builder.event_count() == 0 && builder.operation_count() == 0)
    return no_device_work(format, files.front());
  TRY(Profile profile, builder.finish(modules, options.stop));
  if (modules.given() != nullptr && !knows_any(*modules.given(), profile))
    return invalid(
        "no operation of the profile is an instruction of the module", options.hlo_file,
        "give the module after optimisations, as XLA's --xla_dump_to writes it, or leave --hlo out");
  MeasuredTrace& out = profile.trace;
  out.format = format;
  out.source = join(files, ", ");
  out.title = std::filesystem::path(files.front()).filename().string();
  if (files.size() > 1) out.title += fmt::format(" and {} more", files.size() - 1);
  profile.modules = used_modules(modules, profile);
  profile.chip = into.chip;
  return profile;
}

Result<MeasuredTrace> import_measured(const std::vector<std::string>& files, const ImportOptions& options) {
  TRY(Profile profile, import_profile(files, options));
  return std::move(profile.trace);
}

}  // namespace shardscope::inline measure
