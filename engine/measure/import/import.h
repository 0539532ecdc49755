// SPDX-License-Identifier: Apache-2.0
// Profiles of real runs, as the tools of others write them, become a MeasuredTrace.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/run/measured.h"

namespace shardscope::inline measure {

struct ImportOptions {
  std::stop_token stop = {};
  // Which file, and which part of it was read; may be empty.
  std::function<void(const std::string& what, double fraction)> progress = {};
  std::string hlo_file = {};  // the compiled module whose instructions the profile names; empty: none
};

// Reads `files` as one measured trace: a host or a rank of the same run each, or a folder that a profiler
// wrote into, of which the newest profile is read; all of one format, which their
// content tells (xplane.pb, Chrome JSON of JAX or PyTorch, Nsight Systems' SQLite, nccl-tests' text or JSON,
// our CSV of points; all but the database also gzipped). Memory is that of the events kept, 32 bytes each,
// not of the files. Errors: io for what cannot be read; invalid for what is no profile, is damaged, was cut
// by its profiler, or does not go with the others.
Result<MeasuredTrace> import_measured(const std::vector<std::string>& files, const ImportOptions& options);

}  // namespace shardscope::inline measure
