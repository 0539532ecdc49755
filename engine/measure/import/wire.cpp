// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/wire.h"

#include <algorithm>

namespace shardscope::inline measure::wire {

bool SourceStream::Next(const void** data, int* size) {
  if (at_end()) return false;
  *data = left_.data();
  *size = static_cast<int>(left_.size());
  read_ += *size;
  left_ = {};
  return true;
}

bool SourceStream::at_end() {
  if (!left_.empty()) return false;
  if (error_) return true;
  const Result<std::string_view> piece = source_.next();
  if (!piece.ok()) error_ = piece.error();
  if (piece.ok()) left_ = piece_ = *piece;
  return left_.empty();
}

void SourceStream::BackUp(int count) {
  left_ = piece_.substr(piece_.size() - static_cast<size_t>(count));
  read_ -= count;
}

bool SourceStream::Skip(int count) {
  while (count > 0) {
    const void* data = nullptr;
    int size = 0;
    if (!Next(&data, &size)) return false;
    if (size > count) BackUp(size - count);
    count -= std::min(size, count);
  }
  return true;
}

bool integer(CodedInputStream& in, uint32_t tag, int64_t& out) {
  if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_VARINT) return skip(in, tag);
  uint64_t value = 0;
  if (!in.ReadVarint64(&value)) return false;
  out = static_cast<int64_t>(value);
  return true;
}

bool real(CodedInputStream& in, uint32_t tag, double& out) {
  if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_FIXED64) return skip(in, tag);
  uint64_t bits = 0;
  if (!in.ReadLittleEndian64(&bits)) return false;
  out = WireFormatLite::DecodeDouble(bits);
  return true;
}

bool text(CodedInputStream& in, uint32_t tag, std::string& out, int longest) {
  if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) return skip(in, tag);
  int length = 0;
  return in.ReadVarintSizeAsInt(&length) && length <= longest && in.ReadString(&out, length);
}

}  // namespace shardscope::inline measure::wire
