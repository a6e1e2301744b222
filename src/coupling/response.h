// SPDX-License-Identifier: MIT
// Response: while a fluid iterates, bodies give way to what it has done so far, and it goes on from there. So light bodies are held by the
// fluid that they push, without a common matrix. With J of the sub-step so far, what is in transit q, and the displacement y,
//
//     r = (J + q) - M (u + y / dt);    y += dt (M + M')⁻¹ r        (space/response_formula.h)
//
// where u was gained in parts of the sub-step that are over, and M' is a part of the fluid's inertia that goes along,
// which only makes it converge. In the end v += u + y / dt, and what did not converge stays in transit: momentum is
// exact. A fluid on a device is answered there (space/response_gpu.h): the host describes what gives way before the
// iterations, and takes y after them.
#pragma once

#include "coupling/exchange.h"
#include "coupling/of_rigid.h"

/// One body, by what it was given so far.
void wbWetBodies_GiveWay(wbWetBodies *wet, int body);
/// For wbFluidColliders.respond, to the medium of an exchange.
void wbWetBodies_Respond(wbWetBodies *wet, const wbExchange *exchange, const wbImpulse *forces,
                         wbBoundaryTime time, float seconds, const wbWork *work);
/// @name For wbFluidColliders.describeResponse and .takeResponse, behind so many rows of others
/// @{
/// Returns the number of rows with those.
int wbWetBodies_Describe(wbWetBodies *wet, const wbExchange *exchange, Response *rows, int count,
                         int *bodyRows, wbBoundaryTime time, float seconds);
void wbWetBodies_TakeAnswers(wbWetBodies *wet, const wbExchange *exchange, const ResponseAnswer *answers,
                             int first, wbBoundaryTime time);
/// @}
