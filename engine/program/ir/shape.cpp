// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/shape.h"

namespace shardscope::inline program {
namespace {

void append_shape(const Shape& shape, bool layouts, std::string& out) {
  if (!shape.is_tuple) {
    if (shape.is_buffer) out += "b(";
    out += name(shape.type);
    out += '[';
    for (size_t i = 0; i < shape.dims.size(); ++i) {
      if (i > 0) out += ',';
      const bool dynamic = i < shape.dynamic.size() && shape.dynamic[i];
      if (dynamic && shape.dims[i] > 0) out += "<=";
      out += dynamic && shape.dims[i] == 0 ? "?" : std::to_string(shape.dims[i]);
    }
    out += ']';
    if (layouts && !shape.layout.empty()) out += "{" + shape.layout + "}";
    if (shape.is_buffer) out += ')';
    return;
  }
  out += '(';
  for (size_t i = 0; i < shape.elements.size(); ++i) {
    if (i > 0) out += ", ";
    if (i > 0 && i % 5 == 0) out += "/*index=" + std::to_string(i) + "*/";
    append_shape(shape.elements[i], layouts, out);
  }
  out += ')';
}

}  // namespace

int64_t Shape::element_count() const {
  int64_t count = 1;
  for (const int64_t size : dims) count *= size;
  return count;
}

int64_t Shape::bytes() const {
  if (!is_tuple) return byte_size(type, element_count());
  int64_t sum = 0;
  for (const Shape& element : elements) sum += element.bytes();
  return sum;
}

std::string Shape::text() const {
  std::string out;
  append_shape(*this, true, out);
  return out;
}

std::string Shape::text_without_layout() const {
  std::string out;
  append_shape(*this, false, out);
  return out;
}

}  // namespace shardscope::inline program
