#include "algorithms/implicit/rows/kernels.h"
#include "algorithms/implicit/rows/portable.h"

namespace spb::plans {

std::span<const RowFamily> row_families() {
  static const RowFamily families[] = {portable_row_family()};
  return families;
}

}  // namespace spb::plans
