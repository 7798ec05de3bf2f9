import Departures
import Foundation
import SeedClient

// departures-board SERVER ROOT STOP: prints a stop's departures, and again whenever they change.
// Failures of updates go to standard error; the old departures stay.
let arguments = CommandLine.arguments
let root = try Data(contentsOf: URL(fileURLWithPath: arguments[2]))
let seeds = try SeedStore(.departures, server: URL(string: arguments[1])!, root: root)
let board = Board(seeds, stop: arguments[3])
Task { do { try await seeds.keepUpdated(onFailure: complain) } catch { complain(error) } }
await board.follow { print($0.joined(separator: "\n")) }

func complain(_ error: any Error) { FileHandle.standardError.write(Data("\(error)\n".utf8)) }
