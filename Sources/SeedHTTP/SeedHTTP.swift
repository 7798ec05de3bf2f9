// SeedHTTP: requests in, responses out.
//
// Rules of this module:
// - It is the only importer of CMicroHTTPD, and it knows nothing of seeds.
// - A request is a value and a response is a value; a handler is a function from one to the other, which
//   sockets never enter. It runs on one of the daemon's threads and holds up that thread while it works.
// - libmicrohttpd 0.9.75 accepts framings by which one request passes for two. No request reaches a handler
//   before RequestGuard admitted its head, and whatever the guard refuses ends its connection.
// - No request has a body. Nothing here reads one.
// - Paths and queries arrive undecoded. Only `queryItems` decodes, strictly.
// - Of libmicrohttpd only the epoll thread pool and plain responses are used: no post-processor, no
//   authentication helpers, no upgrade, no suspended connections, no TLS.
