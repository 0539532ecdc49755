// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/profile_folder.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <tuple>

#include "engine/base/text.h"

namespace shardscope::inline measure {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostEntries = 200'000;
constexpr int kDeepestFolder = 8;  // jax.profiler.trace puts its files three folders down

struct Found {
  int rank = 0;  // the fullest first
  fs::file_time_type time;
  fs::path path;
};

std::optional<int> rank_of(const std::string& name) {
  if (name.ends_with(".xplane.pb")) return 0;
  if (name.ends_with(".pt.trace.json") || name.ends_with(".pt.trace.json.gz")) return 1;
  return name.ends_with("trace.json.gz") ? std::optional(2) : std::nullopt;
}

Result<std::vector<Found>> profiles_in(const std::string& folder, const std::stop_token& stop) {
  std::vector<Found> out;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  for (int64_t entries = 0; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (stop.stop_requested()) return cancelled();
    if (++entries > kMostEntries)
      return io_error(fmt::format("more than {} files are in the folder", group_digits(kMostEntries)), folder,
                      "name the profile itself");
    if (at.depth() == kDeepestFolder) at.disable_recursion_pending();
    std::error_code of_file;
    const auto rank = rank_of(at->path().filename().string());
    if (!rank || !at->is_regular_file(of_file)) continue;
    if (const fs::file_time_type time = at->last_write_time(of_file); !of_file)
      out.push_back({*rank, time, at->path()});
  }
  if (error) return io_error(fmt::format("cannot read the folder: {}", error.message()), folder);
  return out;
}

}  // namespace

Result<std::optional<std::vector<std::string>>> newest_profile(const std::string& path,
                                                               const std::stop_token& stop) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::optional<std::vector<std::string>>();
  TRY(const std::vector<Found> found, profiles_in(path, stop));
  if (found.empty())
    return io_error("no profile is in the folder: no *.xplane.pb, *.pt.trace.json or *.trace.json.gz", path,
                    "give the folder that jax.profiler.trace or PyTorch's profiler wrote into");
  const auto newest = std::ranges::min_element(found, {}, [](const Found& each) {
    return std::tuple(each.rank, -each.time.time_since_epoch().count(), each.path);
  });
  std::vector<std::string> out;
  for (const Found& each : found)
    if (&each == &*newest ||
        (each.rank == 0 && newest->rank == 0 && each.path.parent_path() == newest->path.parent_path()))
      out.push_back(each.path.string());
  std::ranges::sort(out);
  return std::optional(std::move(out));
}

}  // namespace shardscope::inline measure
