import Departures
import Foundation
import SeedClient

// departures-board SERVER ROOT STOP: prints a stop's departures, and again whenever they change.
let arguments = CommandLine.arguments
let root = try Data(contentsOf: URL(fileURLWithPath: arguments[2]))
let seeds = try SeedStore(.departures, server: URL(string: arguments[1])!, root: root)
let board = Board(seeds, stop: arguments[3])
Task { try await seeds.keepUpdated() }
await board.follow { print($0.joined(separator: "\n")) }
