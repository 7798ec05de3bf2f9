// SeedHTTP: requests in, responses out.
//
// Folders, lowest first: Message, Connections, Server.
//
// - Only this module imports CMicroHTTPD. It uses the list of problem types, but nothing else that concerns seeds.
// - A handler returns the response to a plain GET. The server applies conditions and ranges, caches reusable
//   responses, and sends the result. Handlers block the daemon's threads, and never access sockets.
// - libmicrohttpd 0.9.75 accepts framings that make one request look like two. RequestGuard admits each head before a
//   handler runs, and a rejected request ends its connection.
// - Requests have no bodies, and no code here reads one.
// - Paths and queries are never decoded, so that each resource has one spelling.
// - Only the epoll thread pool and plain responses of libmicrohttpd are used: no post-processor, authentication
//   helpers, upgrade, suspended connections or TLS.
