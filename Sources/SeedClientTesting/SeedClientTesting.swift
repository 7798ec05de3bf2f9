// SeedClientTesting: what the developer of an app needs to test and preview code that uses SeedClient.
//
// Rooms, from the ground up: Means, Serving, Publication, Rows, Fixtures, API.
//
// Means has time, waiting and folders of a test's own. Serving plays server and network in memory, and fails as told.
// Publication makes what a publisher makes: keys, signed metadata, snapshots and deltas. Rows turns an app's rows and
// statements into changes of a publication. Fixtures makes values that views take. API is `TestPublisher` and the
// stores for previews.
//
// Rules of this module:
// - A store is the real one, and verifies what it gets: here are a publisher and a world for it, and no second store.
// - It builds wherever SeedClient does, and needs nothing but the modules below that.
// - Nothing takes real time, and nothing reaches a network. What happens is decided by the test alone.
// - A mistake in a test is told by table, column and row, and by what to do; `TestPublisher` throws it, a store for
//   previews stops the program with it.
// - The project's own tests of the client play publisher with the same parts, so these are tested by all of them.
