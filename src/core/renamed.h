// SPDX-License-Identifier: MIT
// Keys of scenes and parameters that were called otherwise before: never accepted, but their message says the new name.
#pragma once

/// What a key is called now, as it stands in a scene ("softBodies") or as a parameter ("sph.viscosity"); NULL: it never
/// had another name.
const char *wbFindRenamed(const char *key);
/// All of them, one by one: the name of before; NULL behind the last.
const char *wbGetRenamed(int index);
