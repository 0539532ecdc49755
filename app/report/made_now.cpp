// SPDX-License-Identifier: Apache-2.0
#include "app/report/made_now.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/base/utc_now.h"
#include "engine/report/document/folders.h"
#include "engine/request/command_line.h"

namespace shardscope::embedded {
extern const char* const kBuiltCommit;  // of the build (packaging/cmake/commit.cmake); "": none is known
extern const char* const kBuiltVersion;
}  // namespace shardscope::embedded

namespace shardscope::inline app_report {

namespace {

constexpr int64_t kLastEpoch = 253402300799;  // the end of the year 9999

std::string date_of(const std::vector<RunPtr>& runs) {
  if (const char* typed = std::getenv("SOURCE_DATE_EPOCH"); typed != nullptr) {
    const auto seconds = parse_int(typed);
    if (seconds && *seconds >= 0 && *seconds <= kLastEpoch)
      return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(*seconds)));
  }
  std::string latest;
  for (const RunPtr& run : runs) latest = std::max(latest, run->created);
  return latest.empty() ? utc_now() : latest;
}

}  // namespace

std::string built_version() {
  return embedded::kBuiltVersion;
}

HowMade made_now(const std::vector<RunPtr>& runs, const std::string& command,
                 const std::string& csv_command) {
  return {SHARDSCOPE_VERSION, embedded::kBuiltCommit, command_without_folders(command),
          command_without_folders(csv_command), date_of(runs)};
}

std::string csv_command(const std::string& db, const std::vector<RunPtr>& runs) {
  std::vector<std::string> ids;
  for (const RunPtr& run : runs) {
    if (!run->id || db.empty()) return "";
    ids.push_back(std::to_string(*run->id));
  }
  return shell_line({"shardscope", "compare", "--db", db, "--runs", join(ids, ","), "--format", "csv"});
}

}  // namespace shardscope::inline app_report
