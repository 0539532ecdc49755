// SPDX-License-Identifier: Apache-2.0
// Readers of one file each. Each adds to the builder what its file holds.
#pragma once

#include <string>

#include "engine/measure/import/byte_source.h"
#include "engine/measure/import/module_index.h"
#include "engine/measure/import/trace_builder.h"

namespace shardscope::inline measure {

struct Importing {
  TraceBuilder& builder;
  Modules& modules;
  const ReadingContext& context;
  int64_t joined = 0;  // operations that a module knows
  std::string format;  // of this file, told by its reader
  std::string host;    // what the file calls its host or rank, empty: nothing
  int16_t file_number = 0;
  bool several = false;  // files: devices are named after theirs
  std::string file;      // its name, for a file that names no host
  std::string chip;      // what the profile calls its devices: "NVIDIA H200", empty: it does not say

  // What is added from now on is this file's. Its reader knows its host by now.
  void begin_file() { builder.begin_file(several ? (host.empty() ? file : host) : std::string()); }

  // Its operation, with what the module says of it; of a half of an asynchronous pair the kind stays.
  Result<int32_t> operation(ProfiledOperation facts, bool keep_kind = false) {
    const MeasuredKind kind = facts.kind;
    const bool is_kernel = facts.named_by_kernel();  // what its instruction is comes out later
    if (const ModuleIndex* module = modules.of(facts); module != nullptr && !is_kernel && module->join(facts))
      ++joined;
    else if (!modules.empty())
      facts.matched = false;
    if (keep_kind) facts.kind = kind;
    return builder.operation(facts);
  }
};

// `context` for one of two readings of a file.
inline ReadingContext half_of(const ReadingContext& context, int half) {
  if (!context.progress) return context;
  return {context.stop, [whole = context.progress, half](const std::string& what, double fraction) {
            whole(what, (half + fraction) / 2);
          }};
}

Result<void> read_json_profile(const std::string& path, Importing& into);
Result<void> read_xplane(const std::string& path, Importing& into);
Result<void> read_nsys(const std::string& path, Importing& into);
Result<void> read_nccl_tests(const std::string& path, Importing& into);
Result<void> read_nccl_json(const std::string& path, Importing& into);
Result<void> read_points_csv(const std::string& path, Importing& into);

}  // namespace shardscope::inline measure
