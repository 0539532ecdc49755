// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace shardscope {

// `text` as it may stand in XML or HTML content and attributes; control characters that neither allows are
// left out.
std::string xml_escaped(std::string_view text);

}  // namespace shardscope
