// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/report/document/make_report.h"

namespace shardscope::inline app_report {

// "0.1.0", of a tag or a plain source; "0.1.0+git526.d85c25b09a11" of any other commit.
std::string built_version();

// By this program, with commands that name files without their folders. The date is SOURCE_DATE_EPOCH's, else
// that of the latest run, the clock's only where no run has one: a report of the same record has the same
// bytes.
HowMade made_now(const std::vector<RunPtr>& runs, const std::string& command, const std::string& csv_command);

// "shardscope compare --db F --runs 1,2 --format csv", of recorded runs; empty: some are not.
std::string csv_command(const std::string& db, const std::vector<RunPtr>& runs);

}  // namespace shardscope::inline app_report
