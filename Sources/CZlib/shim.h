// zlib from the system; deflateInit2 and inflateInit2 are macros, so Swift needs these functions.
#pragma once
#include <zlib.h>
#include "crc32.h"
static inline int czlib_deflate_init_raw(z_streamp stream, int level, int window_bits) {
    return deflateInit2(stream, level, Z_DEFLATED, -window_bits, 8, Z_DEFAULT_STRATEGY);
}
static inline int czlib_deflate_init_raw_memory(z_streamp stream, int level, int window_bits, int memory_level) {
    return deflateInit2(stream, level, Z_DEFLATED, -window_bits, memory_level, Z_DEFAULT_STRATEGY);
}
static inline int czlib_inflate_init_raw(z_streamp stream, int window_bits) {
    return inflateInit2(stream, -window_bits);
}
// One gzip member (RFC 1952): zlib's own header has mtime 0.
static inline int czlib_deflate_init_gzip(z_streamp stream, int level, int window_bits, int memory_level) {
    return deflateInit2(stream, level, Z_DEFLATED, 16 + window_bits, memory_level, Z_DEFAULT_STRATEGY);
}
static inline int czlib_inflate_init_gzip(z_streamp stream) {
    return inflateInit2(stream, 16 + 15);
}
