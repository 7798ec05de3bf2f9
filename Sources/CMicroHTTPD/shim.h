#ifndef SEEDBANK_CMICROHTTPD_SHIM_H
#define SEEDBANK_CMICROHTTPD_SHIM_H

#include <microhttpd.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Swift cannot call variadic functions, and it imports the enums of different libmicrohttpd versions differently.
// So options, flags and enums stay in this file, and Swift code uses only plain integers and pointers.

/// Maximum bytes of a line from libmicrohttpd's log. Longer lines are truncated.
#define SEEDBANK_MHD_LOG_BYTES 512

/// The daemon's callbacks. The struct must stay at its address until the daemon is stopped.
struct seedbank_mhd_hooks {
  void *context;
  /// Returns 1 to accept a new connection, 0 to close it.
  int (*accepts)(void *context, const struct sockaddr *address);
  /// Called for each accepted connection. Returns the connection's own context.
  void *(*opened)(void *context, int descriptor, const struct sockaddr *address);
  /// The last call with a connection's context, before its descriptor is closed.
  void (*closed)(void *context, void *connection);
  /// Called with the raw target after a request's first line was read. Returns the request's own context.
  void *(*began)(void *context, void *connection, const char *target);
  /// Called when the head is complete, and again when the whole request is. Returns 0 to close the connection, else 1.
  int (*received)(void *context, struct MHD_Connection *connection, const char *method,
                  const char *version, void *request);
  /// The last call with a request's context. `completed` is 1 if the whole response was sent, else 0.
  void (*ended)(void *context, void *request, int completed);
  void (*logged)(void *context, const char *line);
};

struct seedbank_mhd_settings {
  int listening_socket;
  unsigned int threads;
  unsigned int connection_limit;
  unsigned int idle_timeout_seconds;
  size_t connection_memory_bytes;
};

static inline enum MHD_Result seedbank_mhd_on_accept(void *cls, const struct sockaddr *address,
                                                     socklen_t length) {
  const struct seedbank_mhd_hooks *hooks = cls;
  (void)length;
  return hooks->accepts(hooks->context, address) ? MHD_YES : MHD_NO;
}

static inline void seedbank_mhd_on_connection(void *cls, struct MHD_Connection *connection,
                                              void **socket_context,
                                              enum MHD_ConnectionNotificationCode code) {
  const struct seedbank_mhd_hooks *hooks = cls;
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    const union MHD_ConnectionInfo *socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    const union MHD_ConnectionInfo *address = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    *socket_context = hooks->opened(hooks->context, socket == NULL ? -1 : socket->connect_fd,
                                    address == NULL ? NULL : address->client_addr);
  } else if (*socket_context != NULL) {
    hooks->closed(hooks->context, *socket_context);
    *socket_context = NULL;
  }
}

/// Marks the header fields that this file adds. Fields from the client have the kind MHD_HEADER_KIND alone.
#define SEEDBANK_MHD_OWN_FIELD ((enum MHD_ValueKind)(MHD_HEADER_KIND | MHD_FOOTER_KIND))

static inline void *seedbank_mhd_on_target(void *cls, const char *target,
                                           struct MHD_Connection *connection) {
  const struct seedbank_mhd_hooks *hooks = cls;
  // libmicrohttpd 0.9.75 sends two overlapping error responses to an invalid Content-Length. It reads only the first
  // Content-Length, so a valid one is added before the client's. RequestGuard checks the client's.
  MHD_set_connection_value(connection, SEEDBANK_MHD_OWN_FIELD, "Content-Length", "0");
  // An empty Cookie, because the library would copy the first Cookie field and keep a record of each cookie.
  MHD_set_connection_value(connection, SEEDBANK_MHD_OWN_FIELD, "Cookie", "");
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  void *request = hooks->began(hooks->context, info == NULL ? NULL : info->socket_context,
                               target == NULL ? "" : target);
  // Cuts off the query in the library's own buffer, after `began` has copied it. Otherwise the library would
  // keep a record of each query parameter, and would never answer if the connection's memory ran out.
  char *mark = target == NULL ? NULL : strchr(target, '?');
  if (mark != NULL) mark[1] = '\0';
  return request;
}

static inline enum MHD_Result seedbank_mhd_on_request(void *cls, struct MHD_Connection *connection,
                                                      const char *url, const char *method,
                                                      const char *version, const char *upload,
                                                      size_t *upload_size, void **request) {
  const struct seedbank_mhd_hooks *hooks = cls;
  (void)url;
  (void)upload;
  (void)upload_size;
  return hooks->received(hooks->context, connection, method, version, *request) ? MHD_YES : MHD_NO;
}

static inline void seedbank_mhd_on_completed(void *cls, struct MHD_Connection *connection, void **request,
                                             enum MHD_RequestTerminationCode code) {
  const struct seedbank_mhd_hooks *hooks = cls;
  (void)connection;
  if (*request == NULL) return;
  hooks->ended(hooks->context, *request, code == MHD_REQUEST_TERMINATED_COMPLETED_OK);
  *request = NULL;
}

static inline void seedbank_mhd_on_log(void *cls, const char *format, va_list arguments) {
  const struct seedbank_mhd_hooks *hooks = cls;
  char line[SEEDBANK_MHD_LOG_BYTES];
  vsnprintf(line, sizeof line, format, arguments);
  hooks->logged(hooks->context, line);
}

// By default, libmicrohttpd decodes %2e%2e%2f and %00 before RequestGuard can reject them.
static inline size_t seedbank_mhd_leave_escaped(void *cls, struct MHD_Connection *connection, char *text) {
  (void)cls;
  (void)connection;
  return strlen(text);
}

/// Starts a daemon on `listening_socket`, which the daemon closes when it stops. Returns NULL on failure.
///
/// MHD_OPTION_STRICT_FOR_CLIENT stays off, because in 0.9.75 its reply to a request without Host has all headers
/// twice, and RequestGuard rejects the same requests. The logger must be the first option.
static inline struct MHD_Daemon *seedbank_mhd_start(const struct seedbank_mhd_settings *settings,
                                                    struct seedbank_mhd_hooks *hooks) {
  // libmicrohttpd warns about a pool of one thread and ignores it. Without a pool, it uses one thread.
  unsigned int pool = settings->threads > 1 ? settings->threads : 0;
  return MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG | MHD_USE_ITC, 0,
      &seedbank_mhd_on_accept, hooks, &seedbank_mhd_on_request, hooks,
      MHD_OPTION_EXTERNAL_LOGGER, &seedbank_mhd_on_log, (void *)hooks,
      MHD_OPTION_LISTEN_SOCKET, (MHD_socket)settings->listening_socket,
      MHD_OPTION_URI_LOG_CALLBACK, &seedbank_mhd_on_target, (void *)hooks,
      MHD_OPTION_UNESCAPE_CALLBACK, &seedbank_mhd_leave_escaped, (void *)NULL,
      MHD_OPTION_NOTIFY_COMPLETED, &seedbank_mhd_on_completed, (void *)hooks,
      MHD_OPTION_NOTIFY_CONNECTION, &seedbank_mhd_on_connection, (void *)hooks,
      MHD_OPTION_CONNECTION_LIMIT, settings->connection_limit,
      MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_timeout_seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_memory_bytes,
      MHD_OPTION_THREAD_POOL_SIZE, pool,
      MHD_OPTION_END);
}

typedef void (*seedbank_mhd_field_visitor)(void *context, const char *name, size_t name_length,
                                           const char *value, size_t value_length);

struct seedbank_mhd_visit {
  seedbank_mhd_field_visitor visitor;
  void *context;
};

static inline enum MHD_Result seedbank_mhd_on_field(void *cls, enum MHD_ValueKind kind, const char *name,
                                                    size_t name_length, const char *value,
                                                    size_t value_length) {
  const struct seedbank_mhd_visit *visit = cls;
  if (kind == SEEDBANK_MHD_OWN_FIELD) return MHD_YES;
  visit->visitor(visit->context, name, name_length, value, value_length);
  return MHD_YES;
}

/// Calls `visitor` for every header field that the client sent, in the order of arrival.
static inline void seedbank_mhd_each_field(struct MHD_Connection *connection,
                                           seedbank_mhd_field_visitor visitor, void *context) {
  struct seedbank_mhd_visit visit = {visitor, context};
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, &seedbank_mhd_on_field, &visit);
}

/// Bytes of the request's head as received, from the method to the empty line; 0 if unknown.
static inline size_t seedbank_mhd_head_bytes(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info == NULL ? 0 : info->header_size;
}

/// Bytes that the other side of a TCP connection has acknowledged so far; 0 if unknown.
///
/// glibc's `struct tcp_info` ends before `tcpi_bytes_acked`, and the kernel's header conflicts with glibc's. The
/// kernel only appends to its struct, so the field's offset is always 120. The two constants are repeated here,
/// because the declarations of an included header would become part of this module.
static inline uint64_t seedbank_socket_acknowledged_bytes(int descriptor) {
  enum { tcp_level = 6, tcp_info = 11 };
  unsigned char info[128];
  socklen_t length = sizeof info;
  uint64_t acknowledged = 0;
  if (getsockopt(descriptor, tcp_level, tcp_info, info, &length) != 0 || length < sizeof info) return 0;
  memcpy(&acknowledged, info + 120, sizeof acknowledged);
  return acknowledged;
}

/// A response with a copy of `bytes`; NULL when out of memory.
static inline struct MHD_Response *seedbank_mhd_response_copying(const void *bytes, size_t count) {
  return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

/// Adds a header field. Returns 0 if its name or value is not allowed in a header, else 1.
static inline int seedbank_mhd_add_field(struct MHD_Response *response, const char *name,
                                         const char *value) {
  return MHD_add_response_header(response, name, value) == MHD_YES;
}

/// Queues the response for the connection. Returns 0 on failure, else 1.
static inline int seedbank_mhd_queue(struct MHD_Connection *connection, unsigned int status,
                                     struct MHD_Response *response) {
  return MHD_queue_response(connection, status, response) == MHD_YES;
}

#endif
