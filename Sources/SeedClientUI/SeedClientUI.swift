// SeedClientUI: live queries and store state as observable objects, for an app's views.
//
// Rules of this module:
// - Displayed values belong to the main actor; reading and waiting happen elsewhere.
// - An observable object and its tasks end with its last reference.
// - Rows stay until new ones arrive: neither an error nor another query empties a list.
// - SwiftUI exists only on Apple's systems, so only SeedRows.swift needs it; the rest is also tested on Linux.

// Re-exports the names of queries, rows and errors.
@_exported public import SeedClient
