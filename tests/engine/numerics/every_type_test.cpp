// SPDX-License-Identifier: Apache-2.0
// What moves elements, sums and orders them, on arrays of every type, against plain arithmetic of places.
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>

#include "engine/base/text.h"
#include "engine/numerics/rules/convert.h"
#include "engine/numerics/rules/run_on_devices.h"
#include "tests/engine/numerics/type_streams.h"

namespace shardscope::every_type_test {
namespace {

using namespace type_streams;
using Dims = std::vector<int64_t>;

class EveryType : public testing::TestWithParam<ElementType> {
 protected:
  ElementType type() const { return GetParam(); }
  size_t size() const { return static_cast<size_t>(stored_bytes(type(), 1)); }

  // "s4[2,3]".
  std::string shape(const Dims& dims) const { return shape_of(type(), dims); }
  static std::string shape_of(ElementType of, const Dims& dims) {
    std::vector<std::string> sizes;
    for (const int64_t d : dims) sizes.push_back(std::to_string(d));
    return std::string(name(of)) + "[" + join(sizes, ",") + "]";
  }

  // Elements that differ as far as the type has enough of them.
  Array array(const Dims& dims, uint64_t which = 1) const {
    int64_t count = 1;
    for (const int64_t d : dims) count *= d;
    const Array line = stream(type(), which, static_cast<size_t>(std::max<int64_t>(count, 5)));
    return Array::adopt(type(), dims, line.buffer());
  }
  // The element whose place of the result each is; -1: `beyond`.
  Array moved(const Array& from, const Dims& dims, const std::function<int64_t(const Dims& index)>& place,
              const Array& beyond = {}) const {
    Array out = Array::allocate(type(), dims);
    Dims index(dims.size(), 0);
    for (int64_t e = 0; e < out.element_count(); ++e) {
      const int64_t at = place(index);
      const std::byte* source = at < 0 ? beyond.data() : from.data() + static_cast<size_t>(at) * size();
      std::memcpy(out.mutable_data() + static_cast<size_t>(e) * size(), source, size());
      for (size_t d = dims.size(); d-- > 0;) {
        if (++index[d] < dims[d]) break;
        index[d] = 0;
      }
    }
    return out;
  }
  // Small whole numbers, as many as `dims` has.
  Array numbers(const Dims& dims, const std::vector<int64_t>& values) const {
    Array out = Array::allocate(type(), dims);
    convert_elements(ElementType::s64, reinterpret_cast<const std::byte*>(values.data()), type(),
                     out.mutable_data(), out.element_count());
    return out;
  }
  bool has_zero() const { return !is_floating(type()) || float_format(type()).has_zero(); }

  // The results of a module on its devices: arguments[parameter][device].
  std::vector<Array> run(const std::string& body, const std::vector<std::vector<Array>>& arguments,
                         const std::string& called = "") const {
    const size_t devices = arguments.empty() ? 1 : arguments.front().size();
    std::string text = fmt::format("HloModule m, num_partitions={}\n{}\nENTRY e {{\n", devices, called);
    for (size_t k = 0; k < arguments.size(); ++k)
      text += fmt::format("  {} = {} parameter({})\n", "xyz"[k],
                          shape_of(arguments[k][0].type(), arguments[k][0].dims()), k);
    const auto module = parse_program(text + "  " + body + "\n}\n");
    EXPECT_TRUE(module.ok()) << text << body << (module.ok() ? "" : module.error().text());
    if (!module.ok()) return {};
    EXPECT_EQ(*parse_program(print_program(*module)), *module) << body;
    const auto out = run_on_devices(*module, arguments, Workers(2), {});
    EXPECT_TRUE(out.ok()) << body << (out.ok() ? "" : ": " + out.error().text());
    return out.ok() ? out->front() : std::vector<Array>();
  }
  Array run_one(const std::string& body, const std::vector<Array>& arguments,
                const std::string& called = "") const {
    std::vector<std::vector<Array>> by_device;
    for (const Array& a : arguments) by_device.push_back({a});
    const std::vector<Array> out = run(body, by_device, called);
    return out.empty() ? Array() : out.front();
  }
  std::string add() const {
    return fmt::format("add {{ a = {0}[] parameter(0)\nb = {0}[] parameter(1)\nROOT s = {0}[] add(a, b) }}\n",
                       name(type()));
  }
  static Array indices(const Dims& dims, const std::vector<int32_t>& values) {
    Array out = Array::allocate(ElementType::s32, dims);
    std::copy(values.begin(), values.end(), out.mutable_as<int32_t>().begin());
    return out;
  }
};

TEST_P(EveryType, MovesByPlace) {
  const Array x = array({3, 4}), y = array({2, 4}, 2);
  EXPECT_EQ(run_one("ROOT r = " + shape({4, 3}) + " transpose(x), dimensions={1,0}", {x}),
            moved(x, {4, 3}, [](const Dims& i) { return i[1] * 4 + i[0]; }));
  EXPECT_EQ(
      run_one("t = " + shape({4, 3}) + " transpose(x), dimensions={1,0}\n  ROOT r = " + shape({2, 6}) +
                  " reshape(t)",
              {x}),
      moved(x, {2, 6}, [](const Dims& i) { return (i[0] * 6 + i[1]) % 3 * 4 + (i[0] * 6 + i[1]) / 3; }));
  EXPECT_EQ(run_one("ROOT r = " + shape({2, 2}) + " slice(x), slice={[0:3:2], [1:3]}", {x}),
            moved(x, {2, 2}, [](const Dims& i) { return i[0] * 8 + 1 + i[1]; }));
  EXPECT_EQ(run_one("ROOT r = " + shape({3, 4}) + " reverse(x), dimensions={0,1}", {x}),
            moved(x, {3, 4}, [](const Dims& i) { return (2 - i[0]) * 4 + 3 - i[1]; }));
  EXPECT_EQ(run_one("ROOT r = " + shape({3, 2, 4}) + " broadcast(x), dimensions={0,2}", {x}),
            moved(x, {3, 2, 4}, [](const Dims& i) { return i[0] * 4 + i[2]; }));
  const Array filler = moved(y, {}, [](const Dims&) { return 5; });
  EXPECT_EQ(
      run_one("ROOT r = " + shape({4, 7}) + " pad(x, y), padding=1_0x0_0_1", {x, filler}),
      moved(
          x, {4, 7},
          [](const Dims& i) { return i[0] == 0 || i[1] % 2 == 1 ? -1 : (i[0] - 1) * 4 + i[1] / 2; }, filler));
}

TEST_P(EveryType, JoinsAndUpdatesByPlace) {
  const Array x = array({3, 4}), y = array({2, 4}, 2);
  const Array joined = run_one("ROOT r = " + shape({5, 4}) + " concatenate(x, y), dimensions={0}", {x, y});
  EXPECT_EQ(std::memcmp(joined.data(), x.data(), 12 * size()), 0);
  EXPECT_EQ(std::memcmp(joined.data() + 12 * size(), y.data(), 8 * size()), 0);
  const std::string at = "a = s32[] constant(1)\n  b = s32[] constant(9)\n  ";  // clamped to 0
  const Array updated =
      run_one(at + "ROOT r = " + shape({3, 4}) + " dynamic-update-slice(x, y, a, b)", {x, y});
  Array wanted = moved(x, {3, 4}, [](const Dims& i) { return i[0] * 4 + i[1]; });
  std::memcpy(wanted.mutable_data() + 4 * size(), y.data(), 8 * size());
  EXPECT_EQ(updated, wanted);
  EXPECT_EQ(
      run_one(at + "ROOT r = " + shape({2, 1}) + " dynamic-slice(x, a, b), dynamic_slice_sizes={2,1}", {x}),
      moved(x, {2, 1}, [](const Dims& i) { return (i[0] + 1) * 4 + 3; }));
  const std::string chosen =
      "c = pred[3,4] broadcast(z), dimensions={0}\n  ROOT r = " + shape({3, 4}) + " select(c, x, y)";
  Array truths = Array::allocate(ElementType::pred, {3});
  std::memcpy(truths.mutable_data(), "\1\0\1", 3);
  const Array other = array({3, 4}, 3);
  Array mixed = moved(x, {3, 4}, [](const Dims& i) { return i[0] * 4 + i[1]; });
  std::memcpy(mixed.mutable_data() + 4 * size(), other.data() + 4 * size(), 4 * size());
  EXPECT_EQ(run_one(chosen, {x, other, truths}), mixed);
}

TEST_P(EveryType, IsGatheredAndScatteredByIndices) {
  const Array x = array({4, 2}), u = array({2, 2}, 2), i = indices({2, 1}, {3, 1});
  EXPECT_EQ(run_one("ROOT r = " + shape({2, 2}) +
                        " gather(x, y), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
                        "index_vector_dim=1, slice_sizes={1,2}",
                    {x, i}),
            moved(x, {2, 2}, [](const Dims& at) { return (at[0] == 0 ? 3 : 1) * 2 + at[1]; }));
  const std::string set =
      fmt::format("set {{ a = {0}[] parameter(0)\nROOT b = {0}[] parameter(1) }}\n", name(type()));
  Array wanted = moved(x, {4, 2}, [](const Dims& at) { return at[0] * 2 + at[1]; });
  std::memcpy(wanted.mutable_data() + 6 * size(), u.data(), 2 * size());
  std::memcpy(wanted.mutable_data() + 2 * size(), u.data() + 2 * size(), 2 * size());
  EXPECT_EQ(run_one("ROOT r = " + shape({4, 2}) +
                        " scatter(x, y, z), update_window_dims={1}, inserted_window_dims={0}, "
                        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=set",
                    {x, i, u}, set),
            wanted);
}

// Sums of ones and twos, modulo what the type holds.
TEST_P(EveryType, AddsUp) {
  if (!has_zero()) return;
  const bool truth = type() == ElementType::pred;
  const std::vector<int64_t> values =
      truth ? std::vector<int64_t>{1, 0, 0, 0, 0, 1} : std::vector<int64_t>{1, 0, 2, 1, 1, 0};
  const Array x = numbers({2, 3}, values), zero = numbers({}, {0});
  const Array sums = numbers({3}, truth ? std::vector<int64_t>{1, 0, 1} : std::vector<int64_t>{2, 1, 2});
  EXPECT_EQ(
      run_one("ROOT r = " + shape({3}) + " reduce(x, y), dimensions={0}, to_apply=add", {x, zero}, add()),
      sums);
  EXPECT_EQ(run_one("ROOT r = " + shape({2, 2}) + " reduce-window(x, y), window={size=1x2}, to_apply=add",
                    {x, zero}, add()),
            numbers({2, 2}, truth ? std::vector<int64_t>{1, 0, 0, 1} : std::vector<int64_t>{1, 2, 2, 1}));
  const Array i = indices({2, 1}, {2, 2}), u = numbers({2}, {1, 1});
  EXPECT_EQ(run_one("ROOT r = " + shape({3}) +
                        " scatter(x, y, z), update_window_dims={}, inserted_window_dims={0}, "
                        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
                    {sums, i, u}, add()),
            numbers({3}, truth ? std::vector<int64_t>{1, 0, 1} : std::vector<int64_t>{2, 1, 4}));
}

TEST_P(EveryType, IsSortedByAComparisonOfItsOwn) {
  if (is_complex(type()) || (is_floating(type()) && !has_zero())) return;
  const Array x = array({2, 6});
  const std::string less = fmt::format(
      "less {{ a = {0}[] parameter(0)\nb = {0}[] parameter(1)\nROOT c = pred[] compare(a, b), direction=LT, "
      "type=TOTALORDER }}\n",
      name(type()));
  const Array sorted =
      run_one("ROOT r = " + shape({2, 6}) + " sort(x), dimensions={1}, to_apply=less", {x}, less);
  for (int64_t row = 0; row < 2; ++row) {
    std::vector<std::pair<double, int64_t>> order;  // of 64-bit integers doubles are near enough here
    for (int64_t k = 0; k < 6; ++k) order.emplace_back(x.at(row * 6 + k), row * 6 + k);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      if (std::isnan(a.first) || std::isnan(b.first)) return !std::isnan(a.first) && std::isnan(b.first);
      if (a.first == 0 && b.first == 0) return std::signbit(a.first) && !std::signbit(b.first);
      return a.first < b.first;
    });
    for (int64_t k = 0; k < 6; ++k)
      EXPECT_EQ(
          std::memcmp(sorted.data() + static_cast<size_t>(row * 6 + k) * size(),
                      x.data() + static_cast<size_t>(order[static_cast<size_t>(k)].second) * size(), size()),
          0)
          << row << "," << k;
  }
}

TEST_P(EveryType, TravelsBetweenDevices) {
  std::vector<Array> x;
  for (uint64_t d = 0; d < 4; ++d) x.push_back(array({4, 2}, 1 + d));
  const auto same_rows = [&](const Array& got, int64_t row, const Array& from, int64_t of) {
    return std::memcmp(got.data() + static_cast<size_t>(2 * row) * size(),
                       from.data() + static_cast<size_t>(2 * of) * size(), 2 * size()) == 0;
  };
  const auto gathered =
      run("ROOT r = " + shape({8, 2}) + " all-gather(x), replica_groups={{0,2},{3,1}}, dimensions={0}", {x});
  const auto swapped =
      run("ROOT r = " + shape({4, 2}) + " all-to-all(x), replica_groups={{0,1,2,3}}, dimensions={0}", {x});
  const auto passed = run(
      "ROOT r = " + shape({4, 2}) + " collective-permute(x), source_target_pairs={{0,1},{1,2},{2,0}}", {x});
  ASSERT_EQ(gathered.size() + swapped.size() + passed.size(), 12u);
  for (int64_t row = 0; row < 4; ++row) {
    EXPECT_TRUE(same_rows(gathered[1], row, x[3], row) && same_rows(gathered[1], row + 4, x[1], row));
    for (size_t d = 0; d < 4; ++d)
      EXPECT_TRUE(same_rows(swapped[d], row, x[static_cast<size_t>(row)], static_cast<int64_t>(d))) << d;
    EXPECT_TRUE(same_rows(passed[1], row, x[0], row) && same_rows(passed[0], row, x[2], row));
  }
  for (int64_t e = 0; has_zero() && e < 8; ++e) EXPECT_EQ(passed[3].complex_at(e), 0.0);
}

TEST_P(EveryType, IsAddedUpBetweenDevices) {
  if (!has_zero()) return;
  const bool truth = type() == ElementType::pred;
  const std::vector<Array> x{numbers({2}, {1, 0}), numbers({2}, {1, 0})};
  const auto all =
      run("ROOT r = " + shape({2}) + " all-reduce(x), replica_groups={{0,1}}, to_apply=add", {x}, add());
  const auto parts = run(
      "ROOT r = " + shape({1}) + " reduce-scatter(x), replica_groups={{0,1}}, dimensions={0}, to_apply=add",
      {x}, add());
  ASSERT_EQ(all.size() + parts.size(), 4u);
  EXPECT_EQ(all[1], numbers({2}, {truth ? 1 : 2, 0}));
  EXPECT_EQ(parts[0], numbers({1}, {truth ? 1 : 2}));
  EXPECT_EQ(parts[1], numbers({1}, {0}));
}

TEST_P(EveryType, IsMultipliedAndSummed) {
  if (!has_zero()) return;
  const Array x = numbers({1, 2, 2}, {1, 1, 0, 1}), y = numbers({1, 2, 2}, {1, 0, 0, 1});
  const Array got =
      run_one("ROOT r = " + shape({1, 2, 2}) +
                  " dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
                  "rhs_contracting_dims={1}",
              {x, y});
  EXPECT_EQ(got, numbers({1, 2, 2}, {1, 1, 0, 1}));
}

// Every code of the type as text, and every code that the text says.
TEST_P(EveryType, IsSaidInLiterals) {
  const Array x = array({2, 3});
  std::string literal = "{ ";
  for (int64_t e = 0; e < 6; ++e) {
    const auto part = [&](double value) { return fmt::format("{}", value); };
    std::string text = type() == ElementType::pred  ? (x.at(e) != 0 ? "true" : "false")
                       : is_complex(type())         ? fmt::format("({}, {})", part(x.complex_at(e).real()),
                                                                  part(x.complex_at(e).imag()))
                       : type() == ElementType::u64 ? std::to_string(x.as<uint64_t>()[static_cast<size_t>(e)])
                       : type() == ElementType::s64 ? std::to_string(x.as<int64_t>()[static_cast<size_t>(e)])
                                                    : part(x.at(e));
    literal += (e % 3 == 0 ? "{" : "") + text + (e == 5 ? "} }" : e % 3 == 2 ? "}, " : ", ");
  }
  EXPECT_EQ(words(run_one("ROOT r = " + shape({2, 3}) + " constant(" + literal + ")", {})), words(x))
      << literal;
}

TEST_P(EveryType, KeepsItsBitsInBitcasts) {
  if (is_complex(type()) || type() == ElementType::pred) return;
  const auto width = static_cast<int>(bits(type()));
  const Array x = array({2, 8});
  const std::string bytes = width < 8   ? fmt::format("u8[2,{}]", width)
                            : width > 8 ? fmt::format("u8[2,8,{}]", width / 8)
                                        : "u8[2,8]";
  // By way of bytes and back; of elements of less than a byte eight stand in as many bytes as they have bits.
  const std::string each = width < 8 ? fmt::format("y = {} reshape(x)\n  ", shape({2, width, 8 / width}))
                                     : std::string("y = ") + shape({2, 8}) + " copy(x)\n  ";
  const Array back = run_one(each + "b = " + bytes + " bitcast-convert(y)\n  z = " +
                                 (width < 8 ? shape({2, width, 8 / width}) : shape({2, 8})) +
                                 " bitcast-convert(b)\n  ROOT r = " + shape({2, 8}) + " reshape(z)",
                             {x});
  EXPECT_EQ(back, x);
}

INSTANTIATE_TEST_SUITE_P(Types, EveryType, testing::ValuesIn(array_types()),
                         [](const auto& of) { return std::string(name(of.param)); });

}  // namespace
}  // namespace shardscope::every_type_test
