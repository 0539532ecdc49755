// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/measure/import/byte_source.h"

namespace shardscope::inline measure {

enum class ProfileFormat { json, xplane, nsys, nccl_tests, nccl_json, csv };

// By what is in it; its name says nothing.
Result<ProfileFormat> format_of(const std::string& path, const ReadingContext& context);
// The same of a file's first bytes, unzipped.
Result<ProfileFormat> format_of_bytes(std::string_view head, const std::string& path);

}  // namespace shardscope::inline measure
