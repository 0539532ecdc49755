// SPDX-License-Identifier: Apache-2.0
// Small profiles, written as the tools write theirs.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/measure/import/import.h"
#include "tests/temporary_folder.h"

namespace shardscope {

class ProfileFolder : public TemporaryFolder {
 public:
  // Writes it and returns its path.
  std::string write(const std::string& name, const std::string& bytes) const;
};

std::string gzipped(const std::string& bytes);
// A Chrome trace of these events, with what stands in front of them in the file.
std::string chrome_file(const std::vector<std::string>& events, const std::string& header = "");

Result<MeasuredTrace> import_text(const std::string& bytes, const ImportOptions& options = {});
// The operation of this name; CHECKs that there is one.
const MeasuredOperation& operation_named(const MeasuredTrace& trace, const std::string& op);

}  // namespace shardscope
