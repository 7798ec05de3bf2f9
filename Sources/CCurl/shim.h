#ifndef SEEDBANK_CCURL_SHIM_H
#define SEEDBANK_CCURL_SHIM_H

#include <curl/curl.h>

// Swift does not import the variadic curl_easy_setopt and curl_easy_getinfo. Each wrapper takes one type of argument.
static inline CURLcode seedbank_curl_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode seedbank_curl_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode seedbank_curl_upload(CURL *handle, curl_off_t length, curl_read_callback read, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_INFILESIZE_LARGE, length);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_READFUNCTION, read);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_READDATA, context);
  return code;
}

static inline CURLcode seedbank_curl_answer(CURL *handle, curl_write_callback body, curl_write_callback head, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, head);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
  return code;
}

static inline CURLcode seedbank_curl_headers(CURL *handle, struct curl_slist *headers) {
  return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

static inline CURLcode seedbank_curl_status(CURL *handle, long *status) {
  return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
}

// A macro that Swift does not import.
static const long seedbank_curl_global_all = CURL_GLOBAL_ALL;

#endif
