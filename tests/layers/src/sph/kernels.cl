kernel void count(global uint *histogram) { atomic_inc(histogram); }
__m256 value; // BREACH
