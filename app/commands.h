// SPDX-License-Identifier: MIT
#pragma once

#include "app/args.h"

extern const wbCommand wb_runCommand, wb_viewCommand, wb_checkCommand, wb_scenesCommand, wb_paramsCommand,
    wb_infoCommand, wb_benchCommand, wb_validateCommand, wb_analyzeCommand;

/// wirbel view: becomes wirbel-view, with the arguments behind the command's name; arguments[0] is made the program's. Returns,
/// with an exit code, only if it cannot.
int wbStartView(int count, char **arguments);
