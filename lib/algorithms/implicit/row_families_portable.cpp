#include "algorithms/implicit/row_kernels.h"
#include "algorithms/implicit/row_portable.h"

namespace spb::plans {

std::span<const RowFamily> row_families() {
  static const RowFamily families[] = {portable_row_family()};
  return families;
}

}  // namespace spb::plans
