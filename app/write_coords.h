// SPDX-License-Identifier: Apache-2.0
// Voxels as files that this program and others read.
#pragma once

#include <filesystem>

#include "core/coords.h"

namespace spb::app {

/// By extension: .npy (int32 [n, 4]: batch, x, y, z) or .xyz (text; one batch only). Written beside
/// the target and renamed into place. Throws Error (usage) for another extension, Error (runtime)
/// when the file cannot be written.
void write_coords(const VoxelSet& voxels, const std::filesystem::path& path);

/// Throws Error (usage) unless write_coords knows the extension.
void check_extension(const std::filesystem::path& path);

}  // namespace spb::app
