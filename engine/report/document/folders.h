// SPDX-License-Identifier: Apache-2.0
// A report is given away: it names files, and no folder of whoever made it.
#pragma once

#include <string>
#include <string_view>

#include "engine/report/document/document.h"

namespace shardscope::inline report {

// "read /home/anna/x.npy" as "read x.npy".
std::string without_folders(std::string_view text);
// Of a line for a shell every path, "--db runs/x.db" as "--db x.db": it is typed where the files are.
std::string command_without_folders(std::string_view line);
void leave_out_folders(Report& report);

}  // namespace shardscope::inline report
