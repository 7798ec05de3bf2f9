// SeedHTTP: requests in, responses out.
//
// Rooms, from the ground up: Message, Guard, Semantics, Connections, Server.
//
// - It is the only importer of CMicroHTTPD. Of seeds it knows the list of problem types, and nothing else.
// - A handler is a function from a request to the response that a plain GET would get. The server applies
//   conditions and ranges, keeps the responses that may be reused, and sends. A handler never sees a socket. It runs
//   on one of the daemon's threads, and blocks that thread while it runs.
// - libmicrohttpd 0.9.75 accepts framings by which one request passes for two. No request reaches a handler
//   before RequestGuard has admitted its head, and a request that the guard refuses ends its connection.
// - No request has a body. Nothing here reads one.
// - Paths and queries arrive undecoded. Only `queryItems` decodes, strictly.
// - Of libmicrohttpd only the epoll thread pool and plain responses are used: no post-processor, no
//   authentication helpers, no upgrade, no suspended connections, no TLS.
