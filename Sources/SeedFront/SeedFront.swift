// SeedFront: serves a publication. `Router` maps a request and a catalog to a response; `Front` runs it in a server.
//
// Folders, lowest first: Catalog, Metrics, Page, API.
//
// Rules of this module:
// - The front reads only published files. It has no access to the publisher or to private keys.
// - It never maps a request's path to a file's path.
