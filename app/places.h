// Where the program finds its suites and data sets.
#pragma once

#include <filesystem>

namespace spb::app {

std::filesystem::path suites_folder();
std::filesystem::path datasets_folder();

}  // namespace spb::app
