// A kernel variant forced for a while.
#pragma once

#include <string>

#include "algorithms/kernel_variants.h"

namespace spb {

class Forced {
 public:
  explicit Forced(const std::string& name) { force_variant(name); }
  ~Forced() { force_variant(""); }
  Forced(const Forced&) = delete;
};

}  // namespace spb
