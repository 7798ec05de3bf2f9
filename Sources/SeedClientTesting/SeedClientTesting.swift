// SeedClientTesting: a publisher, server and clock in memory, for tests and previews of code that uses SeedClient.
//
// `TestPublisher` is the interface for apps. It publishes rows through `TestPublication`, which makes keys, signed
// metadata, snapshots and deltas. `MemoryHost` and `ScriptedClock` replace the server, the network and time, and can
// simulate failures. Fixtures.swift contains values for views.
//
// Rules of this module:
// - Stores are real and verify their data. Only the publisher, the network and the clock are replaced.
// - The module builds wherever SeedClient does, with no other dependencies.
// - Nothing uses real time or the network. The test alone decides when something happens.
// - A test's mistake is reported with table, column, row and remedy: `TestPublisher` throws, a preview traps.
// - The project's own client tests use the same parts, and thereby test them.
