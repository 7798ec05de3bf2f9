#ifndef SEEDBANK_CARCHIVE_SHIM_H
#define SEEDBANK_CARCHIVE_SHIM_H

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

/// archive_read_next_header with names in UTF-8. libarchive converts names to the thread's locale, by default "C".
static inline int seedbank_archive_next(struct archive *archive, struct archive_entry **entry) {
  locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  if (utf8 == (locale_t)0) return ARCHIVE_FATAL;
  locale_t before = uselocale(utf8);
  int code = archive_read_next_header(archive, entry);
  uselocale(before);
  freelocale(utf8);
  return code;
}

// Macros with casts, which Swift does not import.
static const unsigned int seedbank_archive_file = AE_IFREG;
static const unsigned int seedbank_archive_folder = AE_IFDIR;

#endif
