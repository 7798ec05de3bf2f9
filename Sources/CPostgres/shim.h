#ifndef SEEDBANK_CPOSTGRES_SHIM_H
#define SEEDBANK_CPOSTGRES_SHIM_H

// Debian installs libpq's headers in a subfolder.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

// postgres_ext.h defines these as character macros, which Swift does not import.
static const int seedbank_pq_sqlstate = 'C';
static const int seedbank_pq_message = 'M';
static const int seedbank_pq_detail = 'D';
static const int seedbank_pq_position = 'P';
static const int seedbank_pq_function = 'R';

#endif
