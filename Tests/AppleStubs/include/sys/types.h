// Also for zlib.h, whose own declarations need it.
#ifndef SEEDBANK_STUB_TYPES_H
#define SEEDBANK_STUB_TYPES_H

typedef long long off_t;
typedef long ssize_t;

#endif
