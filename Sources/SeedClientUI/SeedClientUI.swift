// SeedClientUI: what an app's views observe.
//
// Rules of this module:
// - What is shown belongs to the main actor; reading and waiting happen elsewhere.
// - An object that is observed ends with its last owner, and what it follows with it.
// - Rows that are shown stay until others come: neither an error nor another query empties a list.
// - SwiftUI is there on Apple's systems alone. What needs it is thin: all that decides is tested on Linux as well.

// Views name queries, rows and errors.
@_exported public import SeedClient
