// SPDX-License-Identifier: Apache-2.0
#include "engine/base/xml.h"

#include "engine/base/escape.h"

namespace shardscope {

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : whole_characters(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

}  // namespace shardscope
