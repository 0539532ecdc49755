// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace shardscope {

std::array<uint8_t, 32> sha256(std::string_view bytes);  // FIPS 180-4
// "sha256-…" in base 64, as a page's Content-Security-Policy names a script or a style that it allows.
std::string content_hash(std::string_view bytes);

}  // namespace shardscope
