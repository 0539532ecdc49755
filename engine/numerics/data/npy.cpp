// SPDX-License-Identifier: Apache-2.0
// NPY as numpy/lib/format.py describes it: magic, version, header length, a Python dict literal, raw
// elements.
#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <numeric>

#include "engine/base/file/write_file.h"
#include "engine/base/read_file.h"
#include "engine/base/units.h"
#include "engine/numerics/array/array.h"
#include "engine/numerics/array/copy.h"
#include "engine/numerics/array/element.h"
#include "engine/numerics/array/view.h"
#include "engine/numerics/rules/convert.h"

namespace shardscope::inline numerics {

namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicSize = 6;
constexpr uint32_t kMaxHeader = 1u << 20;

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// The text after 'key': in the header's dict, blanks skipped; none when the key is not there.
std::optional<std::string_view> value_of(std::string_view header, const char* key) {
  for (char quote : {'\'', '"'}) {
    const std::string quoted = quote + std::string(key) + quote;
    size_t at = header.find(quoted);
    if (at == std::string_view::npos) continue;
    at = header.find(':', at + quoted.size());
    if (at == std::string_view::npos) return std::nullopt;
    at = header.find_first_not_of(" \t\n", at + 1);
    if (at == std::string_view::npos) return std::nullopt;
    return header.substr(at);
  }
  return std::nullopt;
}

// The elements can be counted, and their bytes, in whatever order that is done: a zero saves none.
bool is_countable(const std::vector<int64_t>& shape) {
  int64_t count = 16;  // the bytes of the largest element
  for (const int64_t dim : shape) {
    const auto grown = checked_multiply(count, std::max<int64_t>(dim, 1));
    if (!grown) return false;
    count = *grown;
  }
  return true;
}

std::optional<Header> parse_header(std::string_view text) {
  Header header;
  const auto descr = value_of(text, "descr"), order = value_of(text, "fortran_order"),
             shape = value_of(text, "shape");
  if (!descr || !order || !shape || shape->front() != '(') return std::nullopt;
  const char quote = descr->front();
  const size_t end = descr->find(quote, 1);
  if ((quote != '\'' && quote != '"') || end == std::string_view::npos) return std::nullopt;
  header.descr = descr->substr(1, end - 1);
  header.fortran_order = order->substr(0, 4) == "True";
  if (!header.fortran_order && order->substr(0, 5) != "False") return std::nullopt;
  int64_t number = -1;
  for (char c : shape->substr(1)) {
    if (c >= '0' && c <= '9') {
      const auto grown = checked_multiply(std::max<int64_t>(number, 0), 10);
      if (!grown || *grown > INT64_MAX - (c - '0')) return std::nullopt;
      number = *grown + (c - '0');
    } else if (c == ',' || c == ')') {
      if (number >= 0) header.shape.push_back(number);
      number = -1;
      if (c == ')') return is_countable(header.shape) ? std::optional(header) : std::nullopt;
    } else if (c != ' ' && c != 'L') {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

struct Stored {
  ElementType type;
  bool swapped = false;
};

// A type that numpy lacks: kept in files as its bits, in whole bytes, or as numbers of one that holds them.
bool is_foreign(ElementType type) {
  return (is_floating(type) || is_integer(type)) && element_type(type).numpy.empty();
}
ElementType held_as(ElementType foreign) {
  return is_floating(foreign) ? ElementType::f32 : is_signed(foreign) ? ElementType::s8 : ElementType::u8;
}

std::optional<Stored> stored_type(const std::string& descr, std::optional<ElementType> wanted) {
  if (descr.size() < 2) return std::nullopt;
  const bool big = descr.front() == '>';
  const std::string kind =
      std::string("<>=|").find(descr.front()) == std::string::npos ? descr : descr.substr(1);
  if (wanted && is_foreign(*wanted)) {
    const std::string bytes = std::to_string(stored_bytes(*wanted, 1));
    const bool number = is_integer(*wanted) && kind == "u" + bytes;
    if (!number && (kind == "V" + bytes || kind == "u" + bytes)) return Stored{*wanted, big};
  }
  if (kind == "bfloat16") return Stored{ElementType::bf16, big};
  for (size_t k = 0; k < static_cast<size_t>(ElementType::token); ++k) {
    const auto type = static_cast<ElementType>(k);
    if (element::has_arrays(type) && kind == element_type(type).numpy) return Stored{type, big};
  }
  return std::nullopt;
}

std::string numpy_names() {
  std::string out;
  for (const ElementType type : problem_types())
    if (const std::string_view numpy = element_type(type).numpy; !numpy.empty())
      out += (out.empty() ? "" : ", ") + std::string(numpy);
  return out;
}

void swap_bytes(std::byte* data, int64_t count, int64_t size) {
  for (int64_t i = 0; i < count; ++i) std::reverse(data + i * size, data + (i + 1) * size);
}

// The size of the header and where the data starts; none when this is no NPY file.
std::optional<std::string> read_header(std::istream& file) {
  char start[12] = {};
  if (!file.read(start, 8) || std::memcmp(start, kMagic, kMagicSize) != 0) return std::nullopt;
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3) return std::nullopt;
  const int bytes = version == 1 ? 2 : 4;
  if (!file.read(start + 8, bytes)) return std::nullopt;
  uint32_t length = 0;
  for (int i = 0; i < bytes; ++i)
    length |= static_cast<uint32_t>(static_cast<unsigned char>(start[8 + i])) << (8 * i);
  if (length > kMaxHeader) return std::nullopt;
  std::string header(length, '\0');
  if (!file.read(header.data(), length)) return std::nullopt;
  return header;
}

// A file as far as its header.
struct Opened {
  std::string path;
  int64_t bytes = 0;
  std::ifstream file;
  Header header;
  std::optional<Stored> stored;  // none: no type that arrays have here
};

Result<Opened> open_npy(const std::string& path, std::optional<ElementType> wanted) {
  TRY(const int64_t bytes, bytes_of_file(path));
  Opened out{path, bytes, std::ifstream(path, std::ios::binary), {}, std::nullopt};
  if (!out.file) return io_error("cannot open the file", path);
  const auto text = read_header(out.file);
  if (!text) return io_error("not an npy file of version 1 or 2", path, "write it with numpy.save");
  auto header = parse_header(*text);
  if (!header) return io_error("cannot read the npy header " + text->substr(0, 120), path);
  out.header = *std::move(header);
  out.stored = stored_type(out.header.descr, wanted);
  return out;
}

// Bits of elements of less than a byte: those beside them are 0.
Result<void> check_codes(Array& raw, const std::string& path) {
  const auto width = static_cast<int>(bits(raw.type()));
  if (width >= 8) return {};
  for (uint8_t& code : raw.mutable_as<uint8_t>()) {
    if (code >> width != 0)
      return invalid("a byte of " + std::to_string(code) + " is not a value of " + name(raw.type()), path,
                     "elements stand in the low bits of a byte each");
    if (is_integer(raw.type()) && is_signed(raw.type()) && (code >> (width - 1)) != 0)
      code |= static_cast<uint8_t>(0xff << width);
  }
  return {};
}

// The elements in row-major order, as `type`: the stored one, or one that f4 is rounded to.
Result<Array> read_elements(Opened& from, ElementType type) {
  const std::vector<int64_t>& shape = from.header.shape;
  const Stored stored = *from.stored;
  int64_t count = 1;
  for (int64_t d : shape) count = checked_multiply(count, d).value_or(INT64_MAX);
  const int64_t size = stored_bytes(stored.type, 1);
  const int64_t bytes = checked_multiply(count, size).value_or(INT64_MAX);
  const int64_t there = from.bytes - static_cast<int64_t>(from.file.tellg());
  if (there < bytes) {
    return io_error("cut short: expected " + group_digits(bytes) + " bytes of elements, got " +
                        group_digits(std::max<int64_t>(there, 0)),
                    from.path);
  }
  Array raw = Array::allocate(stored.type, shape);
  if (!from.file.read(reinterpret_cast<char*>(raw.mutable_data()), bytes))
    return io_error("cannot read the file", from.path);
  const bool little = std::endian::native == std::endian::little;
  const int64_t parts = is_complex(stored.type) ? 2 : 1;
  if (stored.swapped == little) swap_bytes(raw.mutable_data(), parts * raw.element_count(), size / parts);
  TRY_VOID(check_codes(raw, from.path));
  if (from.header.fortran_order && shape.size() > 1) {
    const Array columns = Array::adopt(stored.type, {shape.rbegin(), shape.rend()}, raw.buffer());
    Array rows = Array::allocate(stored.type, shape);
    std::vector<int64_t> order(shape.size());
    std::iota(order.rbegin(), order.rend(), int64_t{0});
    copy_to(View::of(columns).transpose(order), rows.mutable_data());
    raw = rows;
  }
  if (type == stored.type) return raw;
  Array held = Array::allocate(type, shape);
  convert_elements(stored.type, raw.data(), type, held.mutable_data(), raw.element_count());
  if (!is_integer(type)) return held;
  for (int64_t e = 0; e < raw.element_count(); ++e)
    if (raw.at(e) != held.at(e))
      return invalid(group_digits(static_cast<int64_t>(raw.at(e))) + " is not a value of " + name(type),
                     from.path);
  return held;
}

bool is_read_as(ElementType stored, ElementType type) {
  return stored == type || (is_foreign(type) && stored == held_as(type));
}

}  // namespace

Result<Array> read_npy(const std::string& path, std::optional<ElementType> wanted, size_t rank) {
  TRY(Opened from, open_npy(path, wanted));
  const std::vector<int64_t>& shape = from.header.shape;
  if (shape.size() != rank || std::any_of(shape.begin(), shape.end(), [](int64_t d) { return d < 1; })) {
    return invalid("expected an array of " + std::to_string(rank) + " dimensions without zeros, got " +
                       std::to_string(shape.size()) + (shape.size() == rank ? " with a zero" : ""),
                   path);
  }
  if (!from.stored || !is_problem_type(from.stored->type))
    return invalid("expected elements " + numpy_names() + ", got " + from.header.descr, path);
  const ElementType type = wanted.value_or(from.stored->type);
  if (!is_read_as(from.stored->type, type)) {
    return invalid(std::string("expected ") + name(type) + ", got " + name(from.stored->type), path,
                   std::string("run with --dtype ") + name(from.stored->type));
  }
  return read_elements(from, type);
}

Result<NpyHeader> read_npy_header(const std::string& path, std::optional<ElementType> wanted) {
  TRY(const Opened from, open_npy(path, wanted));
  if (!from.stored) return invalid("there are no arrays of " + from.header.descr + " here", path);
  return NpyHeader{from.stored->type, from.header.shape};
}

Result<Array> read_npy_as(const std::string& path, ElementType type) {
  TRY(Opened from, open_npy(path, type));
  if (!from.stored || !is_read_as(from.stored->type, type)) {
    return invalid(std::string("expected elements ") + name(type) + ", got " +
                       (from.stored ? name(from.stored->type) : from.header.descr),
                   path);
  }
  return read_elements(from, type);
}

Result<void> write_npy(const std::string& path, const Array& array) {
  Array data = array;
  if (is_foreign(array.type())) {
    data = Array::allocate(held_as(array.type()), array.dims());
    convert_elements(array.type(), array.data(), data.type(), data.mutable_data(), array.element_count());
  }
  const std::string_view numpy = element_type(data.type()).numpy;
  if (!element::has_arrays(data.type()) || numpy.empty())
    return invalid(std::string("npy files hold no ") + name(data.type()), path);
  const std::string descr = (bits(data.type()) == 8 ? "|" : "<") + std::string(numpy);
  std::string shape;
  for (int64_t dim : data.dims()) shape += std::to_string(dim) + ", ";
  if (data.dims().size() > 1) shape.resize(shape.size() - 2);  // (3, ) needs its comma
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // numpy aligns the data to 64 bytes.
  header.append(63 - (kMagicSize + 4 + header.size()) % 64, ' ');
  header += '\n';
  TRY(FileWriter file, FileWriter::open(path));
  TRY_VOID(file.write({kMagic, kMagicSize}));
  const char version[] = {1, 0, static_cast<char>(header.size() & 255),
                          static_cast<char>(header.size() >> 8)};
  TRY_VOID(file.write({version, sizeof(version)}));
  TRY_VOID(file.write(header));
  TRY_VOID(file.write({reinterpret_cast<const char*>(data.data()), static_cast<size_t>(data.bytes())}));
  return file.commit();
}

}  // namespace shardscope::inline numerics
