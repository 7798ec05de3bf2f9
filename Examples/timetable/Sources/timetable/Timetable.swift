import Foundation
import SeedClient

/// The app: reference data from a server, and the user's own favourites.
struct Timetable: Sendable {
  private let seeds: SeedStore
  private let favourites: Favourites

  init(_ arguments: Arguments) throws {
    try FileManager.default.createDirectory(at: arguments.data, withIntermediateDirectories: true)
    seeds = try SeedStore(
      .transit, server: arguments.server, root: Data(contentsOf: arguments.seed.appending(path: "root.json")),
      bundle: arguments.seed, directory: arguments.data.appending(path: "seed"))
    favourites = try Favourites(arguments.data.appending(path: "favourites.sqlite").path)
  }

  func like(_ name: String) async throws {
    try await favourites.attach(seeds.prepare())
    try await say(favourites.add(stopNamed: name) ? "\(name) is a favourite" : "there is no stop \(name)")
  }

  /// The favourites' next departures from the local data.
  func board() async throws {
    try await favourites.attach(seeds.prepare())
    try await show()
  }

  /// Prints the departures and keeps the data fresh.
  func watch() async throws {
    let (files, changes) = (seeds.files, seeds.changes)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await seeds.keepUpdated { failure in complain(failure.message) } }
      group.addTask {
        // A new file replaces the old one: attach it and release the old one.
        for await seed in files {
          try await favourites.attach(seed)
          try await show()
        }
      }
      group.addTask { for await _ in changes { try await show() } }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func show() async throws {
    let state = await seeds.state
    let version = state.version.map { "\($0)" } ?? "none"
    let origin = state.origin == .bundled ? ", shipped with the app" : ""
    say("version \(version)\(origin)\(state.isStale ? ", perhaps not the newest" : "")")
    for line in try await favourites.board() { say("  \(line)") }
  }
}

private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

private func complain(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
