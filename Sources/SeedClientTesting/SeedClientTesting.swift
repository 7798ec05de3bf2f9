// SeedClientTesting: test and preview code that uses SeedClient.
//
// Folders, lowest first: Helpers, Serving, Publication, Rows, Fixtures, API.
//
// Helpers has clocks, waiting and temporary folders. Serving replaces the server and network in memory, with failures on
// request. Publication makes keys, signed metadata, snapshots and deltas. Rows turns an app's rows and statements into
// a publication's changes. Fixtures makes values for views. API is `TestPublisher` and the preview stores.
//
// Rules of this module:
// - Stores are real and verify their data: this module replaces the publisher and the environment.
// - It builds wherever SeedClient does, with no other dependencies.
// - Nothing uses real time or the network. The test alone decides on events.
// - A mistake in a test is reported with table, column, row and remedy: thrown by `TestPublisher`, a trap in previews.
// - The project's own client tests use the same parts, and so test them.
