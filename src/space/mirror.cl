// SPDX-License-Identifier: MIT
// Sides mirror points (space/mirror.h), but no ghost is stored: a ghost reaches a point if its source reaches the
// mirrored point, so a search around the mirrored box finds the sources.

typedef struct Ghost {
    float sign[3], offset[3];                 // x' = sign x + offset, and back again
    float velocitySign[3], velocityOffset[3]; // v' = sign v + offset
} Ghost;

// Along each axis a point may stand for itself or be mirrored at one of two sides: 3^3 choices, the first of which is
// the point itself.
enum { GHOST_CHOICES = 27 };

WB_INLINE bool is_near_side(const Box *box, int side, float reach, const SpaceSides *sides) {
    const SpaceSide *s = &sides->sides[side];
    float distance = side & 1 ? s->place - box->high[side / 2] : box->low[side / 2] - s->place;
    return s->closed && distance < reach;
}

WB_INLINE int count_choices(const Box *box, float reach, const SpaceSides *sides) {
    bool near = false;
    for (int side = 0; side < 6; side++) near |= is_near_side(box, side, reach, sides);
    return near ? GHOST_CHOICES : 1;
}

WB_INLINE void mirror_at(Ghost *ghost, int side, const SpaceSides *sides) {
    const SpaceSide *s = &sides->sides[side];
    ghost->sign[side / 2] = -1;
    ghost->offset[side / 2] = 2 * s->place;
    for (int a = 0; a < 3; a++) {
        ghost->velocitySign[a] *= s->velocitySign[a];
        ghost->velocityOffset[a] = s->velocitySign[a] * ghost->velocityOffset[a] + s->velocityOffset[a];
    }
}

// False if no ghost of this choice reaches the box.
WB_INLINE bool find_ghost(Ghost *ghost, int choice, const Box *box, float reach, const SpaceSides *sides) {
    for (int a = 0; a < 3; a++) {
        ghost->sign[a] = ghost->velocitySign[a] = 1;
        ghost->offset[a] = ghost->velocityOffset[a] = 0;
    }
    for (int a = 0; a < 3; a++, choice /= 3) {
        if (choice % 3 == 0) continue;
        int side = 2 * a + choice % 3 - 1;
        if (!is_near_side(box, side, reach, sides)) return false;
        mirror_at(ghost, side, sides);
    }
    return true;
}

WB_INLINE Box mirror_box(const Box *box, const Ghost *ghost) {
    Box mirrored;
    for (int a = 0; a < 3; a++) {
        float p = ghost->sign[a] * box->low[a] + ghost->offset[a];
        float q = ghost->sign[a] * box->high[a] + ghost->offset[a];
        mirrored.low[a] = min(p, q), mirrored.high[a] = max(p, q);
    }
    return mirrored;
}

// What sides add to the velocities of ghosts.
WB_INLINE Real3 ghost_wind(const Ghost *ghost) {
    return real3(real_set(ghost->velocityOffset[0]), real_set(ghost->velocityOffset[1]),
                 real_set(ghost->velocityOffset[2]));
}
