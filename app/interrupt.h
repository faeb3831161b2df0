// SIGINT and SIGTERM: the first lets the case in progress finish, the second quits at once.
#pragma once

namespace spb::app {

void handle_interrupts();
bool interrupted();

}  // namespace spb::app
