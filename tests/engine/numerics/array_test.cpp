// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/array/array.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/numerics/array/buffer_pool.h"
#include "engine/numerics/array/drawn.h"

namespace shardscope::array_test {
namespace {

struct Rounding {
  double x;
  float bf16;
  uint16_t bf16_bits;
  float f16;
};
// x in f32, computed with ml_dtypes and numpy.
constexpr float kInf = HUGE_VALF;
constexpr Rounding kRoundings[] = {
    {1.0, 1.0f, 0x3f80, 1.0f},
    {1.00390625, 1.0f, 0x3f80, 1.00390625f},
    {1.001953125, 1.0f, 0x3f80, 1.001953125f},
    {1.005859375, 1.0078125f, 0x3f81, 1.005859375f},
    {1.01171875, 1.015625f, 0x3f82, 1.01171875f},
    {257.0, 256.0f, 0x4380, 257.0f},
    {258.0, 258.0f, 0x4381, 258.0f},
    {259.0, 260.0f, 0x4382, 259.0f},
    {0.1, 0.10009765625f, 0x3dcd, 0.0999755859375f},
    {3.14159265, 3.140625f, 0x4049, 3.140625f},
    {-2.5, -2.5f, 0xc020, -2.5f},
    {3.3895314e+38, 3.3895313892515355e+38f, 0x7f7f, kInf},
    {3.4e+38, kInf, 0x7f80, kInf},
    {1e-40, 9.183549615799121e-41f, 0x0001, 0.0f},
    {65504.0, 65536.0f, 0x4780, 65504.0f},
    {65520.0, 65536.0f, 0x4780, kInf},
};

TEST(Rounding, GoesToTheNearestAndOnTiesToEven) {
  for (const Rounding& r : kRoundings) {
    const float x = static_cast<float>(r.x);
    EXPECT_EQ(bf16_from_f32(x), r.bf16_bits) << r.x;
    EXPECT_EQ(f32_from_bf16(r.bf16_bits), r.bf16) << r.x;
    EXPECT_EQ(f32_from_f16(f16_from_f32(x)), r.f16) << r.x;
  }
}

TEST(Rounding, KeepsEverySixteenBitValueAndEveryNan) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const uint16_t half = static_cast<uint16_t>(bits);
    const float f16 = f32_from_f16(half), bf16 = f32_from_bf16(half);
    if (std::isnan(f16)) {
      EXPECT_TRUE(std::isnan(f32_from_f16(f16_from_f32(f16))));
    } else {
      EXPECT_EQ(f16_from_f32(f16), half);
    }
    if (std::isnan(bf16)) {
      EXPECT_TRUE(std::isnan(f32_from_bf16(bf16_from_f32(bf16))));
    } else {
      EXPECT_EQ(bf16_from_f32(bf16), half);
    }
  }
}

TEST(Rounding, FromF64RoundsOnceNotTwice) {
  // Just above the middle of 1 and the next bf16: f32 rounds it to the middle, whose tie goes down.
  const double above_middle = 1.0 + 0x1p-8 + 0x1p-40;
  EXPECT_EQ(bf16_from_f32(static_cast<float>(above_middle)), 0x3f80);
  EXPECT_EQ(bf16_from_f64(above_middle), 0x3f81);
  const double above_middle_16 = 1.0 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(f16_from_f64(above_middle_16), 0x3c01);
  EXPECT_EQ(bf16_from_f64(-HUGE_VAL), 0xff80);
  EXPECT_EQ(bf16_from_f64(1e300), 0x7f80);
}

// Adding ones one at a time stops where the next integer cannot be held.
TEST(Rounding, SumsOfOnesStopWhereTheFormatEnds) {
  const struct {
    int ones;
    float bf16, f16;
  } cases[] = {{64, 64, 64},      {256, 256, 256},   {257, 256, 257},  {300, 256, 300},
               {1024, 256, 1024}, {2048, 256, 2048}, {4096, 256, 2048}};
  for (const auto& c : cases) {
    float bf16 = 0, f16 = 0;
    for (int i = 0; i < c.ones; ++i) {
      bf16 = f32_from_bf16(bf16_from_f32(bf16 + 1));
      f16 = f32_from_f16(f16_from_f32(f16 + 1));
    }
    EXPECT_EQ(bf16, c.bf16) << c.ones;
    EXPECT_EQ(f16, c.f16) << c.ones;
  }
}

class NpyTest : public testing::Test {
 protected:
  NpyTest()
      : path_(std::filesystem::temp_directory_path() / ("numerics_" + std::to_string(getpid()) + ".npy")) {}
  ~NpyTest() override { std::filesystem::remove(path_); }
  void write(const std::string& header, const std::string& data, char version = 1) {
    std::ofstream file(path_, std::ios::binary);
    file << "\x93NUMPY" << version << '\0';
    file << static_cast<char>(header.size() & 255) << static_cast<char>(header.size() >> 8);
    if (version > 1) file << '\0' << '\0';
    file << header << data;
  }
  static std::string floats(std::initializer_list<float> values) {
    return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(float)};
  }
  const std::filesystem::path path_;
};

TEST_F(NpyTest, ReadsBackWhatItWrote) {
  for (const ElementType type : problem_types()) {
    Array array = Array::allocate(type, {3, 5});
    std::memset(array.mutable_data(), 0x21, static_cast<size_t>(array.bytes()));
    ASSERT_TRUE(write_npy(path_, array).ok());
    const auto back = read_npy(path_, type);
    ASSERT_TRUE(back.ok()) << back.error().text();
    EXPECT_EQ(*back, array) << name(type);
  }
}

// What numpy has as it is, what it lacks in a wider type; ml_dtypes' files by their bits.
TEST_F(NpyTest, HoldsArraysOfEveryType) {
  for (size_t k = 0; k < static_cast<size_t>(ElementType::token); ++k) {
    const auto type = static_cast<ElementType>(k);
    const Array array = drawn_array(type, {2, 3}, 7, Workers(1));
    ASSERT_TRUE(write_npy(path_, array).ok()) << name(type);
    const auto back = read_npy_as(path_, type);
    ASSERT_TRUE(back.ok()) << back.error().text();
    EXPECT_EQ(*back, array) << name(type);
  }
  const std::string header = "{'descr': '<V1', 'fortran_order': False, 'shape': (3,), }\n";
  write(header, std::string("\x0f\x00\x07", 3));
  const auto small = read_npy_as(path_, ElementType::s4);
  ASSERT_TRUE(small.ok()) << small.error().text();
  for (const auto& [place, value] : {std::pair(0, -1), {1, 0}, {2, 7}}) EXPECT_EQ(small->at(place), value);
  EXPECT_EQ(read_npy_as(path_, ElementType::f4e2m1fn)->at(2), 6);
  write(header, std::string("\x1f\x00\x07", 3));
  EXPECT_EQ(read_npy_as(path_, ElementType::s4).error().what, "a byte of 31 is not a value of s4");
  write("{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }\n", std::string("\x08\xf8", 2));
  EXPECT_EQ(read_npy_as(path_, ElementType::s4).error().what, "8 is not a value of s4");
  write("{'descr': '>c8', 'fortran_order': False, 'shape': (1,), }\n",
        std::string("\x3f\x80\0\0\xc0\0\0\0", 8));
  EXPECT_EQ(read_npy_as(path_, ElementType::c64)->complex_at(0), std::complex<double>(1, -2));
}

TEST_F(NpyTest, FortranOrderIsTurnedAndVersionTwoIsRead) {
  write("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n", floats({1, 4, 2, 5, 3, 6}), 2);
  const auto array = read_npy(path_);
  ASSERT_TRUE(array.ok()) << array.error().text();
  for (int i = 0; i < 6; ++i) EXPECT_EQ(array->at(i), i + 1);
}

TEST_F(NpyTest, ReadsThreeDimensionsInEitherOrder) {
  Array array = Array::allocate(ElementType::f32, {2, 3, 4});
  for (int i = 0; i < 24; ++i) array.mutable_as<float>()[static_cast<size_t>(i)] = static_cast<float>(i);
  ASSERT_TRUE(write_npy(path_, array).ok());
  const auto back = read_npy(path_, ElementType::f32, 3);
  ASSERT_TRUE(back.ok()) << back.error().text();
  EXPECT_EQ(*back, array);
  EXPECT_EQ(read_npy(path_).error().what, "expected an array of 2 dimensions without zeros, got 3");
  write("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2, 2), }\n", floats({0, 4, 2, 6, 1, 5, 3, 7}),
        2);
  const auto turned = read_npy(path_, std::nullopt, 3);
  ASSERT_TRUE(turned.ok()) << turned.error().text();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(turned->at(i), i);
}

TEST_F(NpyTest, RoundsF4ToBf16AndReadsItsBitsFromV2) {
  write("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)}", floats({257, 0.1f}));
  EXPECT_EQ(read_npy(path_, ElementType::bf16)->at(0), 256);
  write("{'descr': '|V2', 'fortran_order': False, 'shape': (1, 1)}", std::string("\x80\x43", 2));
  EXPECT_EQ(read_npy(path_, ElementType::bf16)->at(0), 256);
  for (const char* raw : {"|V1", "|u1"}) {
    write("{'descr': '" + std::string(raw) + "', 'fortran_order': False, 'shape': (1, 2)}", "\x38\xbc");
    EXPECT_EQ(read_npy(path_, ElementType::f8e4m3fn)->at(1), -1.5);
    EXPECT_FALSE(read_npy(path_).ok());
  }
}

TEST_F(NpyTest, HostileFilesAreErrorsWithAPlace) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}";
  const std::string data = floats({1, 2, 3, 4});
  const struct {
    std::string header, data;
    ErrorKind kind;
  } cases[] = {
      {good, data.substr(1), ErrorKind::io},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", data, ErrorKind::io},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 4)}", data, ErrorKind::io},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808, 4)}", data, ErrorKind::io},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 2)}", data, ErrorKind::io},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,)}", data, ErrorKind::invalid},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 2)}", data, ErrorKind::invalid},
      {"{'descr': '<c8', 'fortran_order': False, 'shape': (2, 2)}", data, ErrorKind::invalid},
      {"{'descr': '", data, ErrorKind::io},
      {"{'descr': <f4, 'shape': ", data, ErrorKind::io},
      {"", "", ErrorKind::io},
  };
  for (const auto& c : cases) {
    write(c.header, c.data);
    const auto array = read_npy(path_);
    ASSERT_FALSE(array.ok()) << c.header;
    EXPECT_EQ(array.error().kind, c.kind) << array.error().text();
    EXPECT_EQ(array.error().where, path_.string());
  }
  // A zero saves no product of sizes that cannot be counted.
  write("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 9223372036854775807, 0)}", data);
  EXPECT_FALSE(read_npy_as(path_, ElementType::f32).ok());
  // Every prefix of a good file.
  write(good, data);
  std::ifstream file(path_, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  for (size_t length = 0; length < whole.size(); ++length) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << whole.substr(0, length);
    EXPECT_FALSE(read_npy(path_).ok()) << length;
  }
  EXPECT_EQ(read_npy(path_.string() + ".missing").error().kind, ErrorKind::io);
}

TEST_F(NpyTest, AnotherElementTypeThanWantedIsRefused) {
  write("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)}", floats({1}));
  EXPECT_EQ(read_npy(path_, ElementType::f64).error().kind, ErrorKind::invalid);
}

// Arrays of one run leave their memory to the next, also where that needs a little less of it.
TEST(BufferPool, GivesMemoryAgainThatIsNotMuchTooLarge) {
  BufferPool pool, same = pool;
  const auto place = [](BufferPool& from, int64_t bytes) {
    return from.take(ElementType::u8, {bytes}).data();
  };
  const std::byte* first = place(pool, 1 << 20);
  EXPECT_EQ(place(same, 1 << 20), first);
  EXPECT_EQ(place(pool, 900'000), first);
  EXPECT_NE(place(pool, 500'000), first);
  EXPECT_EQ(place(pool, 1 << 20), first);  // and is as large as it was
}

}  // namespace
}  // namespace shardscope::array_test
