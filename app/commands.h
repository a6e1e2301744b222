// SPDX-License-Identifier: MIT
#pragma once

#include "app/args.h"

extern const wbCommand wb_runCommand, wb_checkCommand, wb_scenesCommand, wb_paramsCommand, wb_infoCommand,
    wb_benchCommand, wb_validateCommand, wb_analyzeCommand;
