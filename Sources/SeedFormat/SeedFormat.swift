// SeedFormat: the contract between publisher, front and client.
//
// Folders, lowest first: Names, Values, JSON, Delta.
//
// Rules of this module:
// - Pure: no files, network or clock; bytes and values in, bytes and values out.
// - Modules exchange datasets, models, series, versions and digests only as the types in Names/, which validate when
//   built, never as a raw `String` or `Int`.
// - Writers are canonical: equal values give equal bytes. Readers reject other input, with its byte offset.
// - Every limit is in Limits.swift with its unit.

/// The version of the command and the client library: the newest in CHANGELOG.md.
package enum Release { package static let version = "0.1.0" }
