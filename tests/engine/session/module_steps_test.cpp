// SPDX-License-Identifier: Apache-2.0
// Modules step by step: what carries over, and that a training loop computes PyTorch's formulas.
#include "engine/session/module_steps.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include "engine/base/read_file.h"
#include "engine/program/module_form.h"
#include "engine/session/hlo_run.h"

namespace shardscope::module_steps_test {
namespace {

Program read(std::string text) {
  auto out = read_module_bytes(std::move(text), "step.hlo");
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().text());
  return out.ok() ? std::move(out->program) : Program();
}

Program preset(const std::string& path) {
  auto text = read_file(std::string(SHARDSCOPE_SOURCE_DIR) + "/presets/" + path);
  EXPECT_TRUE(text.ok());
  return text.ok() ? read(*std::move(text)) : Program();
}

// x grows by y, s is their sum before.
const std::string kGrows =
    "ENTRY e {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n s = f32[] add(x, y)\n"
    " l = f32[] multiply(x, x)\n ROOT t = (f32[], f32[]) tuple(l, s)\n}\n";

ModuleRunOptions steps_of(int64_t steps, std::map<std::string, std::string, std::less<>> more = {}) {
  ModuleRunOptions out;
  out.asked = std::move(more);
  out.asked["steps"] = std::to_string(steps);
  out.partition.propagate = true;
  return out;
}

std::vector<double> series(const ModuleRun& ran, size_t which = 0) {
  std::vector<double> out;
  for (const RunStep& step : ran.run->steps->steps) out.push_back(step.values.at(which));
  return out;
}

TEST(ModuleSteps, CarryWhatTheModuleAliases) {
  const Program module = read("HloModule m, input_output_alias={ {1}: (0, {}, may-alias) }\n" + kGrows);
  ModuleRunOptions options = steps_of(4, {{"annotate", "train"}, {"warmup", "1"}});
  options.arguments = {{"x", "1"}, {"y", "2"}};
  const auto ran = execute_module(module, options, {});
  ASSERT_TRUE(ran.ok()) << ran.error().text();
  ASSERT_TRUE(ran->run->steps.has_value());
  const RunSteps& steps = *ran->run->steps;
  EXPECT_EQ(steps.marker, "train");
  EXPECT_EQ(steps.values, std::vector<std::string>{"result{0}"});
  EXPECT_EQ(steps.carried, std::vector<std::string>{"result{1} becomes x"});
  EXPECT_EQ(series(*ran), (std::vector<double>{1, 9, 25, 49}));
  EXPECT_EQ(ran->results.at(1).arrays.at(0).at(0), 9) << "results are those of the last step";
  const Picoseconds each = ran->run->timeline.total;
  for (int64_t k = 0; k < 4; ++k) {
    const RunStep& step = steps.steps[static_cast<size_t>(k)];
    EXPECT_EQ(step.number, k);
    EXPECT_EQ(step.warmup, k == 0);
    EXPECT_EQ(step.simulated, (TimeRange{k * each, (k + 1) * each}));
    EXPECT_GT(step.wall_s.value_or(0), 0);
  }
  EXPECT_EQ(ran->run->measured->repeat, 3);
  EXPECT_EQ(ran->run->measured->warmup, 1);
}

TEST(ModuleSteps, CarryWhatIsAskedForBeforeWhatIsAliased) {
  const Program module = read("HloModule m, input_output_alias={ {1}: (0, {}, may-alias) }\n" + kGrows);
  ModuleRunOptions options = steps_of(3, {{"carry", "result{1}=y"}});
  options.arguments = {{"x", "1"}, {"y", "2"}};
  const auto ran = execute_module(module, options, {});
  ASSERT_TRUE(ran.ok()) << ran.error().text();
  EXPECT_EQ(series(*ran), (std::vector<double>{1, 9, 36})) << "x and y both become their sum";
  options.asked["carry"] = "t=x";
  EXPECT_FALSE(execute_module(module, options, {}).ok());
}

TEST(ModuleSteps, RepeatWithoutEitherAndSaySo) {
  const auto ran = execute_module(read("HloModule m\n" + kGrows), steps_of(3), {});
  ASSERT_TRUE(ran.ok()) << ran.error().text();
  const std::vector<double> all = series(*ran);
  EXPECT_EQ(all[0], all[2]);
  ASSERT_EQ(ran->run->steps->notes.size(), 1U);
  EXPECT_NE(ran->run->steps->notes[0].find("nothing carries over"), std::string::npos);
}

std::string refusal(const std::string& header, std::map<std::string, std::string, std::less<>> asked) {
  ModuleRunOptions options;
  options.asked = std::move(asked);
  const auto ran = execute_module(read("HloModule m" + header + "\n" + kGrows), options, {});
  EXPECT_FALSE(ran.ok());
  return ran.ok() ? "" : ran.error().text();
}

TEST(ModuleSteps, RefusalsNameWhatThereIs) {
  EXPECT_EQ(refusal("", {{"steps", "2"}, {"carry", "5=x"}}),
            "no result is called '5'; --carry; name one of result{0} to result{1}, or 0 to 1");
  EXPECT_EQ(refusal("", {{"steps", "2"}, {"carry", "1=elsewhere"}}),
            "the module has no parameter 'elsewhere'; --carry; name one of x, y");
  EXPECT_EQ(
      refusal("", {{"steps", "2"}, {"carry", "1"}}),
      "expected a result and the argument it becomes, got '1'; --carry; write RESULT=ARG, as in 1=w1 or "
      "result{1}=w1");
  EXPECT_EQ(refusal("", {{"steps", "2"}, {"carry", "0=x,1=x"}}), "argument 'x' is carried twice; --carry");
  EXPECT_EQ(refusal("", {{"steps", "2"}, {"carry", "0=x,1=0"}}), "argument '0' is carried twice; --carry");
  EXPECT_EQ(refusal("", {{"steps", "2"}, {"warmup", "2"}}),
            "got 2 steps of warm-up, expected fewer than the 2 steps; --warmup");
  EXPECT_NE(refusal("", {{"steps", "0"}}).find("at least 1"), std::string::npos);
}

TEST(ModuleSteps, RefuseAResultOfAnotherShape) {
  const Program module =
      read("HloModule m\nENTRY e {\n x = f32[4] parameter(0)\n ROOT y = f32[2] slice(x), slice={[0:2]}\n}\n");
  const auto ran = execute_module(module, steps_of(2, {{"carry", "0=x"}}), {});
  ASSERT_FALSE(ran.ok());
  EXPECT_EQ(ran.error().text(),
            "result is f32[2], parameter x is f32[4]; --carry; carry a result to a parameter of its shape");
}

TEST(ModuleSteps, WithoutAnyTheirOptionsAreIgnoredWhichIsSaid) {
  ModuleRunOptions options;
  options.asked = {{"carry", "1=x"}, {"annotate", "train"}};
  const auto ran = execute_module(read("HloModule m\n" + kGrows), options, {});
  ASSERT_TRUE(ran.ok()) << ran.error().text();
  EXPECT_FALSE(ran->run->steps.has_value());
  EXPECT_EQ(ran->run->ignored_options, (std::vector<std::string>{"annotate", "carry"}));
}

// Timed and not executed where there are no numbers, which is said.
TEST(ModuleSteps, AreTimedWithoutNumbers) {
  ModuleRunOptions options = steps_of(3);
  options.check = CheckMode::off;
  const auto ran = execute_module(read("HloModule m\n" + kGrows), options, {});
  ASSERT_TRUE(ran.ok()) << ran.error().text();
  EXPECT_FALSE(ran->run->steps->executed());
  EXPECT_EQ(ran->run->steps->notes.back(), "the steps are not executed: numbers are off");
  EXPECT_EQ(ran->run->steps->steps.size(), 3U);
}

// A module that came partitioned has one array a device, and each carries its own.
TEST(ModuleSteps, OfAPartitionedModuleCarryOnEachDevice) {
  const Program module = read(
      "HloModule m, num_partitions=4, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }\n"
      "add {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
      "ENTRY e {\n x = f32[2] parameter(0)\n r = f32[2] collective-permute(x), "
      "source_target_pairs={{0,1},{1,2},{2,3},{3,0}}\n z = f32[] constant(0)\n"
      " s = f32[] reduce(x, z), dimensions={0}, to_apply=add\n"
      " ROOT t = (f32[2], f32[]) tuple(r, s)\n}\n");
  ModuleRunOptions options = steps_of(5);
  options.arguments = {{"x", "[[1,1],[2,2],[3,3],[4,4]]"}};
  const auto ran = execute_module(module, options, {});
  ASSERT_TRUE(ran.ok()) << ran.error().text();
  // The sum on device 0 of what came round the ring; after four steps its own again.
  EXPECT_EQ(series(*ran), (std::vector<double>{2, 8, 6, 4, 2}));
}

using Matrix = std::vector<double>;

Matrix values_of(const Array& array) {
  Matrix out(static_cast<size_t>(array.element_count()));
  for (size_t k = 0; k < out.size(); ++k) out[k] = array.at(static_cast<int64_t>(k));
  return out;
}

Matrix argument(const ModuleRun& ran, const std::string& name) {
  for (const ModuleArgument& a : ran.arguments)
    if (a.parameter.name == name) return values_of(a.arrays.at(0));
  ADD_FAILURE() << name;
  return {};
}

// torch.nn.Linear, relu, Linear, MSELoss and SGD, written out in f64.
struct TwoLayers {
  static constexpr size_t kBatch = 32, kIn = 64, kHidden = 256, kOut = 8;
  Matrix x, y, w1, b1, w2, b2;
  double rate = 0.5;

  double step() {
    Matrix h(kBatch * kHidden), o(kBatch * kOut), dh(kBatch * kHidden);
    for (size_t n = 0; n < kBatch; ++n)
      for (size_t j = 0; j < kHidden; ++j) {
        h[n * kHidden + j] = b1[j];
        for (size_t i = 0; i < kIn; ++i) h[n * kHidden + j] += x[n * kIn + i] * w1[j * kIn + i];
      }
    const auto relu = [&](size_t at) { return std::max(0.0, h[at]); };
    double loss = 0;
    for (size_t n = 0; n < kBatch; ++n)
      for (size_t c = 0; c < kOut; ++c) {
        double& out = o[n * kOut + c];
        out = b2[c];
        for (size_t j = 0; j < kHidden; ++j) out += relu(n * kHidden + j) * w2[c * kHidden + j];
        out -= y[n * kOut + c];
        loss += out * out / (kBatch * kOut);
        out *= 2.0 / (kBatch * kOut);  // from here on the loss's gradient
      }
    for (size_t n = 0; n < kBatch; ++n)
      for (size_t j = 0; j < kHidden; ++j)
        for (size_t c = 0; c < kOut && h[n * kHidden + j] > 0; ++c)
          dh[n * kHidden + j] += o[n * kOut + c] * w2[c * kHidden + j];
    for (size_t n = 0; n < kBatch; ++n) {
      for (size_t c = 0; c < kOut; ++c) {
        b2[c] -= rate * o[n * kOut + c];
        for (size_t j = 0; j < kHidden; ++j)
          w2[c * kHidden + j] -= rate * o[n * kOut + c] * relu(n * kHidden + j);
      }
      for (size_t j = 0; j < kHidden; ++j) {
        b1[j] -= rate * dh[n * kHidden + j];
        for (size_t i = 0; i < kIn; ++i) w1[j * kIn + i] -= rate * dh[n * kHidden + j] * x[n * kIn + i];
      }
    }
    return loss;
  }
};

TEST(TrainingLoop, OfTwoLayersIsPyTorchs) {
  const auto ran = execute_module(preset("hlo/two_layers_step.hlo"), steps_of(30), {});
  ASSERT_TRUE(ran.ok()) << ran.error().text();
  EXPECT_TRUE(ran->run->numerics.allclose);
  EXPECT_EQ(ran->run->mesh.device_count(), 8);
  EXPECT_TRUE(ran->run->steps->notes.empty()) << ran->run->steps->notes.front();
  TwoLayers torch{argument(*ran, "x"),  argument(*ran, "y"),  argument(*ran, "w1"),
                  argument(*ran, "b1"), argument(*ran, "w2"), argument(*ran, "b2")};
  const std::vector<double> losses = series(*ran);
  for (const double loss : losses) EXPECT_NEAR(torch.step(), loss, 2e-5 * losses[0]);
  EXPECT_LT(losses.back(), losses.front() / 4);
  const Matrix w1 = values_of(ran->results.at(1).arrays.at(0));
  for (size_t k = 0; k < w1.size(); k += 97) EXPECT_NEAR(w1[k], torch.w1[k], 1e-5);
}

// The loop of an optimiser on |w|² / 2, whose gradient is w, for `steps`, from the arguments of the run.
template <class Update>
void expect_optimiser(const std::string& file, const std::vector<TypedArgument>& arguments, Update update) {
  ModuleRunOptions options = steps_of(12);
  options.arguments = arguments;
  const auto ran = execute_module(preset("operations/" + file), options, {});
  ASSERT_TRUE(ran.ok()) << ran.error().text();
  Matrix w = argument(*ran, "w"), m(w.size()), v(w.size());
  for (int t = 1; t <= 12; ++t)
    for (size_t k = 0; k < w.size(); ++k) update(t, w[k], m[k], v[k]);
  const Matrix end = values_of(ran->results.at(1).arrays.at(0));
  for (size_t k = 0; k < w.size(); ++k) ASSERT_NEAR(end[k], w[k], 2e-6) << file << " " << k;
  EXPECT_LT(series(*ran).back(), series(*ran).front());
}

TEST(Optimiser, SgdIsPyTorchs) {
  expect_optimiser("sgd.hlo", {}, [](int, double& w, double&, double&) { w -= 0.1 * w; });
}

TEST(Optimiser, MomentumIsPyTorchs) {
  expect_optimiser("momentum.hlo", {{"v", "0"}}, [](int, double& w, double&, double& v) {
    v = 0.9 * v + w;
    w -= 0.1 * v;
  });
}

TEST(Optimiser, AdamIsPyTorchs) {
  expect_optimiser("adam.hlo", {{"m", "0"}, {"v", "0"}, {"t", "0"}},
                   [](int t, double& w, double& m, double& v) {
                     const double g = w;
                     m = 0.9 * m + 0.1 * g;
                     v = 0.999 * v + 0.001 * g * g;
                     const double size = 0.01 / (1 - std::pow(0.9, t));
                     w -= size * m / (std::sqrt(v) / std::sqrt(1 - std::pow(0.999, t)) + 1e-8);
                   });
}

// What torch.optim.SGD and Adam (PyTorch 2.15, CPU) make of such weights in 20 steps down |w|² / 2.
struct TorchRun {
  const char* file;
  std::vector<TypedArgument> arguments;
  std::array<double, 5> losses;   // of steps 0, 1, 4, 9, 19
  std::array<double, 4> weights;  // 0, 17, 64, 127, at the end
};

TEST(Optimiser, EndsWherePyTorchEnded) {
  std::string w = "[";
  for (int row = 0, k = 0; row < 8; ++row) {
    w += row == 0 ? "[" : ",[";
    for (int column = 0; column < 16; ++column, ++k)
      w += (column == 0 ? "" : ",") + std::to_string(((k * 37) % 101 - 50) / 32.0);
    w += "]";
  }
  w += "]";
  const TorchRun runs[] = {
      {"sgd.hlo",
       {},
       {53.21630859375, 43.10520935058594, 22.907875061035156, 7.987482070922852, 0.9710913300514221},
       {-0.18996348977088928, -0.10258028656244278, -0.018996354192495346, 0.01139780879020691}},
      {"momentum.hlo",
       {{"v", "0"}},
       {53.21630859375, 43.10520935058594, 2.737353801727295, 19.395965576171875, 6.983150005340576},
       {-0.5385427474975586, -0.2908130884170532, -0.053854260593652725, 0.032312557101249695}},
      {"adam.hlo",
       {{"m", "0"}, {"v", "0"}, {"t", "0"}},
       {53.21630859375, 52.21354293823242, 49.2836799621582, 44.66812515258789, 36.446571350097656},
       {-1.364134430885315, -0.6469820737838745, 0.00990967359393835, -0.02570582553744316}}};
  constexpr std::array<size_t, 5> kSteps = {0, 1, 4, 9, 19};
  constexpr std::array<size_t, 4> kWeights = {0, 17, 64, 127};
  for (const TorchRun& torch : runs) {
    ModuleRunOptions options = steps_of(20);
    options.arguments = torch.arguments;
    options.arguments.push_back({"w", w});
    const auto ran = execute_module(preset(std::string("operations/") + torch.file), options, {});
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    const std::vector<double> losses = series(*ran);
    const Matrix end = values_of(ran->results.at(1).arrays.at(0));
    for (size_t k = 0; k < kSteps.size(); ++k)
      EXPECT_NEAR(losses[kSteps[k]], torch.losses[k], 1e-6 * torch.losses[k]) << torch.file;
    for (size_t k = 0; k < kWeights.size(); ++k)
      EXPECT_NEAR(end[kWeights[k]], torch.weights[k], 1e-6) << torch.file;
  }
}

}  // namespace
}  // namespace shardscope::module_steps_test
