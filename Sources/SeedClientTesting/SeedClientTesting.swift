// SeedClientTesting: test and preview code that uses SeedClient.
//
// `MemoryHost` and `ScriptedClock` replace server, network and time in memory, with failures on request.
// `TestPublication` makes keys, signed metadata, snapshots and deltas, including those of an app's rows.
// `TestPublisher` is for apps; Fixtures.swift has values for views.
//
// Rules of this module:
// - Stores are real and verify their data: this module replaces the publisher and the environment.
// - It builds wherever SeedClient does, with no other dependencies.
// - Nothing uses real time or the network. The test alone decides on events.
// - A mistake in a test is reported with table, column, row and remedy: thrown by `TestPublisher`, a trap in previews.
// - The project's own client tests use the same parts, and so test them.
