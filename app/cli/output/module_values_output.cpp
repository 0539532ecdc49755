// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/module_values_output.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/numerics/data/array_text.h"

namespace shardscope::inline cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kMostValues = 1000;

std::string shape_of(const Shape& shape) {
  return shape_words(shape.type, shape.dims);
}

std::string sharding_of(const ModuleRun& run, const ModuleResult& r) {
  if (!r.sharding) return "";
  const auto named = r.sharding->to_named(run.run->mesh);
  return named.ok() ? named->spec().text() : r.sharding->text();
}

Json number_json(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json element_json(const Array& array, int64_t place) {
  if (is_complex(array.type())) {
    const std::complex<double> value = array.complex_at(place);
    return Json::array({number_json(value.real()), number_json(value.imag())});
  }
  if (array.type() == ElementType::pred) return array.at(place) != 0;
  if (array.type() == ElementType::u64) return array.as<uint64_t>()[static_cast<size_t>(place)];
  if (array.type() == ElementType::s64) return array.as<int64_t>()[static_cast<size_t>(place)];
  const double value = array.at(place);
  if (!is_floating(array.type())) return static_cast<int64_t>(value);
  return number_json(value);
}

Json nested_json(const Array& array, size_t dim, int64_t& place) {
  if (dim == array.dims().size()) return element_json(array, place++);
  Json out = Json::array();
  for (int64_t k = 0; k < array.dims()[dim]; ++k) out.push_back(nested_json(array, dim + 1, place));
  return out;
}

Json values_json(const Array& array) {
  int64_t place = 0;
  return array.element_count() > kMostValues ? Json(nullptr) : nested_json(array, 0, place);
}

// "result{1}" is no name for a file.
std::string result_file(std::string name) {
  std::erase_if(name, [](char c) { return c == '{' || c == '}' || c == '/'; });
  return name;
}

}  // namespace

std::string module_arguments_text(const ModuleRun& run) {
  std::string out;
  for (const ModuleArgument& a : run.arguments)
    out += fmt::format("argument   {} {}: {}\n", a.parameter.name, shape_of(a.parameter.shape), a.words);
  return out;
}

std::string module_results_text(const ModuleRun& run) {
  std::string out;
  for (const ModuleResult& r : run.results) {
    const std::string sharding = sharding_of(run, r);
    const std::string head =
        fmt::format("{} {}{}", r.name, shape_of(r.shape), sharding.empty() ? "" : ", sharding " + sharding);
    if (!r.unknown.empty()) {
      out += fmt::format("\n{}\nnot known: {}\n", head, r.unknown);
      continue;
    }
    if (r.arrays.size() == 1) {
      const bool each = partitioned_stage(run.stages) == nullptr && run.run->mesh.device_count() > 1;
      out += fmt::format("\n{}{}\n{}\n", head, each ? ", the same on every device" : "",
                         numpy_text(r.arrays.front()));
      continue;
    }
    for (size_t d = 0; d < r.arrays.size(); ++d)
      out += fmt::format("\n{} on device {}\n{}\n", head, d, numpy_text(r.arrays[d]));
  }
  return out;
}

std::string left_out_text(const ModuleRun& run) {
  std::string out;
  for (const ModuleResult& r : run.results)
    if (!r.unknown.empty()) out += fmt::format("not written {} is not known: {}\n", r.name, r.unknown);
  return out;
}

Json module_values_json(const ModuleRun& run) {
  Json arrays = Json::array(), arguments = Json::array(), results = Json::array();
  for (const ModuleArray& a : run.arrays) {
    const auto named = a.sharding ? a.sharding->to_named(run.run->mesh) : Result<NamedSharding>(invalid(""));
    arrays.push_back({{"name", a.name},
                      {"role", a.role == ModuleArray::Role::result ? "result" : "parameter"},
                      {"shape", shape_of(a.shape)},
                      {"sharding", a.sharding ? Json(a.sharding->text()) : Json(nullptr)},
                      {"spec", named.ok() ? Json(named->spec().text()) : Json(nullptr)}});
  }
  for (const ModuleArgument& a : run.arguments)
    arguments.push_back(
        {{"name", a.parameter.name}, {"shape", shape_of(a.parameter.shape)}, {"from", a.words}});
  for (const ModuleResult& r : run.results) {
    const bool whole = r.arrays.size() == 1, known = r.unknown.empty();
    Json values = Json::array(), text = Json::array();
    for (const Array& array : r.arrays) {
      values.push_back(values_json(array));
      text.push_back(numpy_text(array));
    }
    const std::string sharding = sharding_of(run, r);
    results.push_back({{"name", r.name},
                       {"shape", shape_of(r.shape)},
                       {"dtype", name(r.shape.type)},
                       {"dims", r.shape.dims},
                       {"sharding", sharding.empty() ? Json(nullptr) : Json(sharding)},
                       {"by_device", known && !whole},
                       {"text", !known  ? Json(nullptr)
                                : whole ? text.front()
                                        : text},
                       {"values", !known  ? Json(nullptr)
                                  : whole ? values.front()
                                          : values},
                       {"unknown", known ? Json(nullptr) : Json(r.unknown)}});
  }
  Json out = {{"arrays", arrays}, {"arguments", arguments}, {"results", results}, {"part", nullptr}};
  const bool one = std::ranges::count(run.arrays, ModuleArray::Role::result, &ModuleArray::role) == 1;
  if (one && run.arrays.back().sharding)
    out["output_sharding"] =
        arrays.back()["spec"].is_null() ? arrays.back()["sharding"] : arrays.back()["spec"];
  if (run.part)
    out["part"] = {{"instructions", run.part->instructions},
                   {"of", run.part->of},
                   {"ends", run.part->ends},
                   {"why", run.part->why}};
  return out;
}

Result<std::vector<std::string>> write_module_results(const ModuleRun& run, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return io_error("cannot make the folder: " + error.message(), folder);
  std::vector<std::string> out;
  for (const ModuleResult& r : run.results) {
    for (size_t d = 0; d < r.arrays.size(); ++d) {
      const std::string device = r.arrays.size() == 1 ? "" : fmt::format(".device{}", d);
      out.push_back((std::filesystem::path(folder) / (result_file(r.name) + device + ".npy")).string());
      TRY_VOID(write_npy(out.back(), r.arrays[d]));
    }
  }
  return out;
}

}  // namespace shardscope::inline cli
