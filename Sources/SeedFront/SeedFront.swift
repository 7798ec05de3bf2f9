// SeedFront: serves a publication. A function from a request and a catalog to a response, and the server around it.
//
// Folders, lowest first: Catalog, Metrics, Page, API.
//
// Rules of this module:
// - The front reads only published files. It reaches neither the publisher nor a private key.
// - It never maps a request's path to a file's path.
