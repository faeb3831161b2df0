// SPDX-License-Identifier: Apache-2.0
#include "application.h"

int main(int argc, char** argv) { return spb::application(argc, argv, spb::algorithms()); }
