// A kernel variant forced for a while.
#pragma once

#include <string>

#include "algorithms/plans.h"

namespace spb {

class Forced {
 public:
  explicit Forced(const std::string& name) { plans::force_variant(name); }
  ~Forced() { plans::force_variant(""); }
  Forced(const Forced&) = delete;
};

}  // namespace spb
