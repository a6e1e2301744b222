// SPDX-License-Identifier: MIT
// Films of what the window shows: a picture for each 1/output.fps of simulated time, as large as output.size and as good as films are,
// whatever the window's own pictures look like.
#pragma once

#include "app/view/viewer.h"

/// Begins NAME-film.mp4 with the picture that there is, or ends it.
void wbViewer_ToggleFilm(wbViewer *viewer);
/// Before a frame: takes the pictures that are due. A film that cannot go on ends with a note.
wbStatus wbTakeFilmPictures(wbViewer *viewer);
/// At the end of the program: completes the file.
void wbCloseFilm(wbViewer *viewer);
/// A red dot and the time, over the picture.
void wbShowFilm(const wbViewer *viewer);
