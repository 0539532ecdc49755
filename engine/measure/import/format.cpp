// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/format.h"

#include "engine/base/text.h"

namespace shardscope {

Result<ProfileFormat> format_of_bytes(std::string_view head, const std::string& path) {
  std::string_view text = head.starts_with("\xEF\xBB\xBF") ? head.substr(3) : head;
  text = trim(text);
  if (text.empty()) return invalid("the file is empty", path);
  if (text.front() == '{' || text.front() == '[') return ProfileFormat::json;
  return invalid("not a profile that Shardscope reads", path, "give trace.json.gz of JAX or a PyTorch trace");
}

Result<ProfileFormat> format_of(const std::string& path, const ReadingContext& context) {
  TRY(const auto source, ByteSource::open(path, {context.stop, {}}));
  std::string head;
  while (head.size() < size_t{1} << 16) {
    TRY(const std::string_view piece, source->next());
    if (piece.empty()) break;
    head += piece;
  }
  return format_of_bytes(head, path);
}

}  // namespace shardscope
