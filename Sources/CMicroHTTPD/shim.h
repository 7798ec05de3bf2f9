#ifndef SEEDBANK_CMICROHTTPD_SHIM_H
#define SEEDBANK_CMICROHTTPD_SHIM_H

#include <microhttpd.h>

#endif
