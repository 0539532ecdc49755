// SPDX-License-Identifier: Apache-2.0
// Any bytes are an array or an error; an array has the size that its header says, and is written and read
// back as the same.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "engine/base/check.h"
#include "engine/numerics/array/array.h"
#include "tests/fuzz/text_mutator.h"

namespace {
using namespace shardscope;

constexpr std::string_view kWords[] = {"'<f4'",     "'<f8'",      "'<f2'",
                                       "'<i4'",     "'|i1'",      "'|V2'",
                                       "'|V1'",     "'<u2'",      "'|u1'",
                                       "'>f4'",     "'|O'",       "False",
                                       "True",      "(2, 3), ",   "(), ",
                                       "(1,), ",    "(0, 3), ",   "(4611686018427387904, 2), ",
                                       "(-1, 2), ", "{'descr': ", "'fortran_order': ",
                                       "'shape': ", "}\n"};

// A file in memory that goes away with the process.
class File {
 public:
  explicit File(const char* name) : path("/dev/shm/shardscope-fuzz-" + std::to_string(getpid()) + name) {}
  ~File() { std::filesystem::remove(path); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const std::string path;
};

// Types that numpy lacks are written as f4, where what kind of no number it was may change.
bool is_same(const Array& a, const Array& b) {
  if (a.type() != b.type() || a.dims() != b.dims()) return false;
  for (int64_t i = 0; i < a.element_count(); ++i)
    if (a.at(i) != b.at(i) && !(std::isnan(a.at(i)) && std::isnan(b.at(i)))) return false;
  return true;
}

void check_array(const Result<Array>& array, const std::string& path) {
  if (!array.ok()) {
    CHECK(!array.error().text().empty(), path);
    return;
  }
  int64_t count = 1;
  for (const int64_t dim : array->dims()) count *= dim;
  CHECK(count == array->element_count(), count, array->element_count());
  static const File again("-again.npy");
  CHECK(write_npy(again.path, *array).ok(), again.path);
  const auto read = read_npy_as(again.path, array->type());
  CHECK(read.ok(), read.ok() ? "" : read.error().text());
  CHECK(is_same(*read, *array), count);
}

}  // namespace
SHARDSCOPE_TEXT_FUZZER(kWords)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const File file(".npy");
  std::ofstream(file.path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  (void)read_npy_header(file.path);
  check_array(read_npy(file.path), file.path);
  check_array(read_npy(file.path, ElementType::bf16), file.path);
  check_array(read_npy_as(file.path, ElementType::f64), file.path);
  return 0;
}
