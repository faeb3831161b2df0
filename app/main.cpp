#include "application.h"

int main(int argc, char** argv) { return spb::application(argc, argv, spb::algorithms()); }
