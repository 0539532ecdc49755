// SPDX-License-Identifier: Apache-2.0
#include "tests/oracle/golden.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/numerics/array/element.h"
#include "engine/numerics/rules/convert.h"

namespace shardscope::oracle {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

fs::path folder() {
  return fs::path(SHARDSCOPE_SOURCE_DIR) / "tests/oracle/goldens";
}

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// JAX's name of a type.
ElementType type_named(std::string dtype) {
  const auto starts = [&](const char* word) { return dtype.starts_with(word); };
  if (dtype == "bool") return ElementType::pred;
  if (dtype == "bfloat16") return ElementType::bf16;
  std::erase(dtype, '_');
  if (starts("float8") || starts("float4")) dtype = "f" + dtype.substr(5);
  if (starts("float")) dtype = "f" + dtype.substr(5);
  if (starts("complex")) dtype = "c" + dtype.substr(7);
  if (starts("uint")) dtype = "u" + dtype.substr(4);
  if (starts("int")) dtype = "s" + dtype.substr(3);
  return parse_element_type(dtype).value_or(ElementType::f32);
}

double number(const Json& value) {
  if (value.is_string()) return std::strtod(value.get<std::string>().c_str(), nullptr);
  return value.is_boolean() ? value.get<bool>() : value.get<double>();
}

uint64_t drawn_bits(uint64_t i, uint64_t seed) {
  return ((i * 2654435761U + seed * 40503U) % (uint64_t{1} << 32)) >> 16;
}

// Values as make.py's draw() gives them.
std::vector<double> drawn(const Json& how, ElementType type, int64_t count) {
  std::vector<double> out;
  const auto seed = how.at("seed").get<uint64_t>();
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = drawn_bits(static_cast<uint64_t>(i), seed);
    if (type == ElementType::pred) {
      out.push_back(bits % 2 == 0);
    } else if (how.contains("lo")) {
      const int64_t lo = how.at("lo"), hi = how.at("hi");
      out.push_back(static_cast<double>(lo + static_cast<int64_t>(bits % static_cast<uint64_t>(hi - lo))));
    } else {
      out.push_back(static_cast<double>(bits % 33) / 16 - 1);
    }
  }
  return out;
}

Array array_of(const std::vector<double>& values, ElementType type, std::vector<int64_t> dims) {
  Array exact = Array::allocate(ElementType::f64, dims), out = Array::allocate(type, dims);
  std::ranges::copy(values, exact.mutable_as<double>().begin());
  convert_elements(ElementType::f64, exact.data(), type, out.mutable_data(), out.element_count());
  return out;
}

// Real and imaginary parts side by side.
Array complex_array(const std::vector<double>& real, const std::vector<double>& imaginary, ElementType type,
                    std::vector<int64_t> dims) {
  Array out = Array::allocate(type, std::move(dims));
  for (size_t i = 0; i < real.size(); ++i) {
    if (type == ElementType::c64) {
      const float pair[] = {static_cast<float>(real[i]), static_cast<float>(imaginary[i])};
      std::memcpy(out.mutable_data() + i * sizeof pair, pair, sizeof pair);
    } else {
      const double pair[] = {real[i], imaginary[i]};
      std::memcpy(out.mutable_data() + i * sizeof pair, pair, sizeof pair);
    }
  }
  return out;
}

Array argument_of(const Json& said) {
  const ElementType type = type_named(said.at("dtype"));
  const auto dims = said.at("dims").get<std::vector<int64_t>>();
  int64_t count = 1;
  for (const int64_t size : dims) count *= size;
  const bool is_complex = type == ElementType::c64 || type == ElementType::c128;
  if (said.contains("draw")) {
    const std::vector<double> values = drawn(said.at("draw"), type, count);
    if (!is_complex) return array_of(values, type, dims);
    return complex_array(values, {values.rbegin(), values.rend()}, type, dims);
  }
  std::vector<double> values, imaginary;
  for (const Json& value : said.at("values")) {
    values.push_back(number(value.is_array() ? value[0] : value));
    if (value.is_array()) imaginary.push_back(number(value[1]));
  }
  return is_complex ? complex_array(values, imaginary, type, dims) : array_of(values, type, dims);
}

GoldenResult result_of(const Json& said) {
  GoldenResult out;
  out.dtype = said.at("dtype");
  out.dims = said.at("dims").get<std::vector<int64_t>>();
  if (said.at("sharding").is_string()) out.sharding = said.at("sharding");
  out.squares = number(said.at("squares"));
  for (const Json& pair : said.at("values")) {
    GoldenResult::Element& e = out.elements.emplace_back();
    e.place = pair[0];
    e.value = number(pair[1].is_array() ? pair[1][0] : pair[1]);
    if (pair[1].is_array()) e.imaginary = number(pair[1][1]);
  }
  return out;
}

GoldenGradient gradient_of(const Json& said, const std::vector<GoldenResult>& results) {
  GoldenGradient out;
  out.of = said.at("of");
  const GoldenResult& of = results.at(out.of);
  Json bar = {{"dtype", of.dtype}, {"dims", of.dims}};
  if (of.dims.empty())
    bar["values"] = {1};
  else
    bar["draw"] = {{"seed", said.at("seed")}};
  out.bar = argument_of(bar);
  for (const Json& place : said.at("by")) out.by.push_back(place);
  for (const Json& result : said.at("results")) out.results.push_back(result_of(result));
  return out;
}

}  // namespace

std::vector<std::string> golden_names() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder())) out.push_back(entry.path().filename().string());
  std::ranges::sort(out);
  return out;
}

Golden read_golden(const std::string& name) {
  Golden out;
  out.name = name;
  for (const auto& entry : fs::directory_iterator(folder() / name))
    if (entry.path().extension() != ".json" && entry.path().extension() != ".txt")
      out.forms[entry.path().filename().string()] = read_text(entry.path());
  const std::string text = read_text(folder() / name / "expected.json");
  if (text.empty()) return out;
  const Json said = Json::parse(text);
  for (const Json& argument : said.at("arguments")) out.arguments.push_back(argument_of(argument));
  for (const Json& result : said.at("results")) out.results.push_back(result_of(result));
  if (said.at("collectives").is_object())
    out.collectives = said.at("collectives").get<std::map<std::string, int64_t>>();
  for (const auto& [line, sharding] : said.at("shardings").items()) out.shardings[std::stoi(line)] = sharding;
  const std::string gradient = read_text(folder() / name / "gradient.json");
  if (!gradient.empty()) out.gradient = gradient_of(Json::parse(gradient), out.results);
  return out;
}

}  // namespace shardscope::oracle
