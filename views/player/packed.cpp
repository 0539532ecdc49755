// SPDX-License-Identifier: Apache-2.0
#include "views/player/packed.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <zlib.h>

#include "engine/base/check.h"

namespace shardscope::inline views {
namespace {

constexpr int kSmallest = 9;

std::string base64(std::string_view bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view part = bytes.substr(at, 3);
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < part.size() ? static_cast<unsigned char>(part[i]) : 0);
    for (size_t digit = 0; digit < 4; ++digit)
      out += digit <= part.size() ? kDigits[bits >> (18 - 6 * digit) & 63] : '=';
  }
  return out;
}

}  // namespace

std::string packed(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::string stream(size, '\0');
  const int code = compress2(reinterpret_cast<Bytef*>(stream.data()), &size,
                             reinterpret_cast<const Bytef*>(text.data()), text.size(), kSmallest);
  CHECK(code == Z_OK, code);
  stream.resize(size);
  return base64(stream);
}

}  // namespace shardscope::inline views
