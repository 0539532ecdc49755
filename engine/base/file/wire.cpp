// SPDX-License-Identifier: Apache-2.0
#include "engine/base/file/wire.h"

#include <algorithm>
#include <bit>
#include <climits>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <optional>

namespace shardscope::wire {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

CodedInputStream stream_of(std::string_view bytes) {
  return CodedInputStream(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
}

// The bytes of a field of a length, which are passed over.
std::optional<std::string_view> slice(CodedInputStream& in, std::string_view all) {
  int length = 0;
  if (!in.ReadVarintSizeAsInt(&length)) return std::nullopt;
  const auto start = static_cast<size_t>(in.CurrentPosition());
  if (static_cast<size_t>(length) > all.size() - start || !in.Skip(length)) return std::nullopt;
  return all.substr(start, static_cast<size_t>(length));
}

}  // namespace

Message::Message(std::string_view bytes, bool& broken) : broken_(&broken) {
  if (bytes.size() > INT_MAX) {
    broken = true;
    return;
  }
  CodedInputStream in = stream_of(bytes);
  while (const uint32_t tag = in.ReadTag()) {
    Field field;
    field.number = WireFormatLite::GetTagFieldNumber(tag);
    bool read = false;
    uint32_t half = 0;
    switch (WireFormatLite::GetTagWireType(tag)) {
      case WireFormatLite::WIRETYPE_VARINT:
        read = in.ReadVarint64(&field.value);
        break;
      case WireFormatLite::WIRETYPE_FIXED64:
        field.kind = Kind::fixed64;
        read = in.ReadLittleEndian64(&field.value);
        break;
      case WireFormatLite::WIRETYPE_FIXED32:
        field.kind = Kind::fixed32;
        read = in.ReadLittleEndian32(&half);
        field.value = half;
        break;
      case WireFormatLite::WIRETYPE_LENGTH_DELIMITED:
        field.kind = Kind::bytes;
        if (const auto found = slice(in, bytes)) {
          field.bytes = *found;
          read = true;
        }
        break;
      default:
        break;
    }
    if (!read) {
      broken = true;
      return;
    }
    fields_.push_back(field);
  }
  if (!in.ConsumedEntireMessage()) broken = true;
}

const Message::Field* Message::find(int field) const {
  const auto last =
      std::find_if(fields_.rbegin(), fields_.rend(), [&](const Field& f) { return f.number == field; });
  return last == fields_.rend() ? nullptr : &*last;
}

int64_t Message::number(int field, int64_t otherwise) const {
  const Field* found = find(field);
  return found == nullptr || found->kind == Kind::bytes ? otherwise : static_cast<int64_t>(found->value);
}

double Message::real(int field, double otherwise) const {
  const Field* found = find(field);
  if (found == nullptr) return otherwise;
  if (found->kind == Kind::fixed64) return std::bit_cast<double>(found->value);
  if (found->kind == Kind::fixed32) return std::bit_cast<float>(static_cast<uint32_t>(found->value));
  return otherwise;
}

std::string_view Message::bytes(int field) const {
  const Field* found = find(field);
  return found == nullptr ? std::string_view() : found->bytes;
}

std::vector<Message> Message::messages(int field) const {
  std::vector<Message> out;
  for (const Field& f : fields_)
    if (f.number == field && f.kind == Kind::bytes) out.emplace_back(f.bytes, *broken_);
  return out;
}

std::vector<std::string_view> Message::texts(int field) const {
  std::vector<std::string_view> out;
  for (const Field& f : fields_)
    if (f.number == field && f.kind == Kind::bytes) out.push_back(f.bytes);
  return out;
}

std::vector<int64_t> Message::numbers(int field) const {
  std::vector<int64_t> out;
  for (const Field& f : fields_) {
    if (f.number != field) continue;
    if (f.kind != Kind::bytes) {
      out.push_back(static_cast<int64_t>(f.value));
      continue;
    }
    CodedInputStream in = stream_of(f.bytes);
    while (in.CurrentPosition() < static_cast<int>(f.bytes.size())) {
      uint64_t value = 0;
      if (!in.ReadVarint64(&value)) {
        *broken_ = true;
        return out;
      }
      out.push_back(static_cast<int64_t>(value));
    }
  }
  return out;
}

std::vector<uint64_t> Message::fixed(int field, int bytes_each) const {
  std::vector<uint64_t> out;
  for (const Field& f : fields_) {
    if (f.number != field) continue;
    if (f.kind != Kind::bytes) {
      out.push_back(f.value);
      continue;
    }
    const auto size = static_cast<size_t>(bytes_each);
    if (f.bytes.size() % size != 0) *broken_ = true;
    for (size_t at = 0; at + size <= f.bytes.size(); at += size) {
      uint64_t value = 0;
      for (size_t b = 0; b < size; ++b)
        value |= uint64_t{static_cast<unsigned char>(f.bytes[at + b])} << (8 * b);
      out.push_back(value);
    }
  }
  return out;
}

bool is_message(std::string_view bytes) {
  bool broken = false;
  const Message whole(bytes, broken);
  return !broken;
}

}  // namespace shardscope::wire
