// SeedFront: serves a publication. A function from a request and a catalog to a response, and the server around it.
//
// Rooms, from the ground up: Catalog, Metrics, Page, API.
//
// Rules of this module:
// - The front reads only published files. It cannot reach the publisher, and names no signer and no private key.
// - It never maps a request's path to a file's path.
