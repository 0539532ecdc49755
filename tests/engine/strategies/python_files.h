// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <string>

#include "tests/temporary_folder.h"

namespace shardscope::testing {

// Files of Python in a folder that goes with it. Debian's own Python, which has its packages.
class PythonFiles {
 public:
  void add(const std::string& name, const std::string& text) {
    std::ofstream(folder_.file(fmt::format("p{:03}_{}.py", count_++, name))) << text;
  }
  int count() const { return count_; }
  // What Python says of them: nothing, when it can compile them.
  std::string compile() const { return output("-m py_compile"); }
  // lax's functions over devices as threads, on NumPy: which is no JAX, but knows nothing of us either.
  std::string run_on_numpy() const {
    return output(SHARDSCOPE_SOURCE_DIR "/tests/engine/strategies/lax_on_numpy.py");
  }

 private:
  std::string output(const std::string& program) const {
    const std::string command = fmt::format("/usr/bin/python3 {} '{}'/*.py 2>&1", program, folder_.path());
    std::FILE* pipe = ::popen(command.c_str(), "r");
    std::string out;
    std::array<char, 4096> buffer{};
    while (const size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) out.append(buffer.data(), n);
    ::pclose(pipe);
    return out;
  }

  TemporaryFolder folder_;
  int count_ = 0;
};

}  // namespace shardscope::testing
