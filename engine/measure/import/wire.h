// SPDX-License-Identifier: Apache-2.0
// Messages of Protocol Buffers, field by field, out of a ByteSource.
#pragma once

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <optional>
#include <string>
#include <string_view>

#include "engine/measure/import/byte_source.h"

namespace shardscope::inline measure::wire {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

class SourceStream : public google::protobuf::io::ZeroCopyInputStream {
 public:
  explicit SourceStream(ByteSource& source) : source_(source) {}
  bool Next(const void** data, int* size) override;
  void BackUp(int count) override;
  bool Skip(int count) override;
  int64_t ByteCount() const override { return read_; }
  bool at_end();  // nothing more is there
  const std::optional<Error>& error() const { return error_; }

 private:
  ByteSource& source_;
  std::string_view piece_, left_;
  int64_t read_ = 0;
  std::optional<Error> error_;
};

// All of these are false when the bytes are no such field, or end in the middle.
inline constexpr int kLongestText = 1 << 20;
bool integer(CodedInputStream& in, uint32_t tag, int64_t& out);
bool real(CodedInputStream& in, uint32_t tag, double& out);
bool text(CodedInputStream& in, uint32_t tag, std::string& out, int longest = kLongestText);
inline bool skip(CodedInputStream& in, uint32_t tag) {
  return WireFormatLite::SkipField(&in, tag);
}
inline int field(uint32_t tag) {
  return WireFormatLite::GetTagFieldNumber(tag);
}

// Calls `take(tag)` for each field of a message that is a field itself; it reads the field or skips it.
template <class Take>
bool message(CodedInputStream& in, uint32_t tag, Take take) {
  if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) return skip(in, tag);
  int length = 0;
  if (!in.ReadVarintSizeAsInt(&length)) return false;
  if (const int outside = in.BytesUntilLimit(); outside >= 0 && length > outside) return false;
  const auto limit = in.PushLimit(length);
  while (const uint32_t inner = in.ReadTag())
    if (!take(inner)) return false;
  const bool whole = in.BytesUntilLimit() == 0;
  in.PopLimit(limit);
  return whole;
}

}  // namespace shardscope::inline measure::wire
