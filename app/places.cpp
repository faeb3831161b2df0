#include "places.h"

#include <cstdlib>

namespace spb::app {
namespace {

std::filesystem::path home() {
  const char* set = std::getenv("SPCONV_BENCH_HOME");
  return set ? set : SPB_HOME;
}

}  // namespace

std::filesystem::path suites_folder() { return home() / "configs" / "suites"; }
std::filesystem::path datasets_folder() { return home() / "datasets"; }

}  // namespace spb::app
