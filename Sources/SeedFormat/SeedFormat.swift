// SeedFormat: the contract between publisher, front and client.
//
// Rooms, from the ground up: Names, Values, JSON, Problems, Delta.
//
// Rules of this module:
// - Pure. No file, no network, no clock: bytes and values in, bytes and values out.
// - A raw `String` or `Int` does not travel between modules when it means a dataset, a model, a series,
//   a version or a digest: the types in Names/ are the only way in, and they validate when built.
// - Writers are canonical: equal values give equal bytes. Readers are strict: what no writer of ours
//   produces is an error with its byte offset.
// - Every limit stands in Limits.swift with its unit.

/// The version that the command and the client library call themselves: CHANGELOG.md's newest.
package enum Release { package static let version = "0.1.0" }
