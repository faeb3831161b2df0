// SPDX-License-Identifier: Apache-2.0
#include "kernels/schedule/lists.h"

namespace spb::plans {

RowLists row_lists(const maps::TileLists& lists, const int32_t* tile_order, int segment) {
  RowLists view;
  view.order = lists.order.size() > 0 ? lists.order.data() + segment * lists.n_rows : nullptr;
  view.listed = lists.valid_kernel.data();
  view.listed_begin = lists.valid_kernel_seg.data() + segment * lists.tiles;
  if (lists.tile_index.size() > 0) view.tile_index = lists.tile_index.data();
  if (tile_order) view.tile_order = tile_order + segment * lists.tiles;
  return view;
}

}  // namespace spb::plans
