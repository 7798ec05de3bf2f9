import Foundation
import SeedClient
import SeedDatabase
import Support
import Testing

/// With any changes to a publication, a device has the published rows of its version, or an error.
@Suite struct MutatedPublicationTests {
  /// Publications per test; their numbers are the seeds.
  private static let attempts = Stage.pick(quick: 36, full: 150, deep: 5000)

  private let folder: TemporaryFolder
  private var directory: String { folder("store") }

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  @Test func `files changed without a key lead to published rows and do no lasting harm`() async throws {
    let world = try await MutatedWorld()
    var tally = Tally()
    for number in 0..<Self.attempts {
      let kind = Self.choose(FileAttack.Kind.allCases, number)
      let label = "seed \(number), \(kind)"
      var attack = FileAttack(world, kind, seed: UInt64(number))
      try await attacked(by: attack.files(), world, number, label, &tally)
      #expect(try await look(at: world.served, world, "\(label), then the true files") == nil, "\(label)")
    }
    print("files changed without a key: \(tally)")
  }

  @Test func `inconsistent signed metadata leads to published rows`() async throws {
    let world = try await MutatedWorld()
    var tally = Tally()
    for number in 0..<Self.attempts {
      let kind = Self.choose(SignedAttack.Kind.allCases, number)
      var attack = SignedAttack(world, kind, seed: UInt64(number))
      try await attacked(by: attack.files(), world, number, "seed \(number), \(kind)", &tally)
    }
    print("signed words that do not fit together: \(tally)")
  }

  private static func choose<Kind>(_ kinds: [Kind], _ number: Int) -> Kind { kinds[number % kinds.count] }

  /// Serves the files to a device at some version.
  private func attacked(
    by files: [String: [UInt8]], _ world: MutatedWorld, _ number: Int, _ label: String, _ tally: inout Tally
  ) async throws {
    let version = MutatedWorld.devices[number / FileAttack.Kind.allCases.count % MutatedWorld.devices.count]
    try? FileManager.default.removeItem(atPath: directory)
    try world.device(at: version, in: directory)
    tally.note(try await look(at: files, world, from: version, "\(label), from \(version)"))
  }

  /// Checks once. The device's version must not fall, and its rows must be the published ones.
  private func look(
    at files: [String: [UInt8]], _ world: MutatedWorld, from version: Int = 0, _ label: String
  ) async throws -> SeedError.Code? {
    let store = try world.store(serving: files, in: directory)
    let failure = await code { try await store.update() }
    if let found = try? await store.content() {
      #expect(found.rows == world.rows[found.version] && found.version >= version, "\(label): \(found)")
    } else {
      #expect(version == 0 && failure != nil, "\(label): nothing can be read")
    }
    await store.suspend()
    return failure
  }
}

private struct Tally: CustomStringConvertible {
  private var outcomes: [String: Int] = [:]

  mutating func note(_ failure: SeedError.Code?) {
    outcomes[failure.map { "\($0)" } ?? "no error", default: 0] += 1
  }

  var description: String {
    let counts = outcomes.sorted { $0.value > $1.value }.map { "\($0.value) \($0.key)" }
    return "\(outcomes.values.reduce(0, +)) publications, seeds from 0: \(counts.joined(separator: ", "))"
  }
}

extension SeedStore {
  /// The version in the data, and the stops' names.
  fileprivate func content() async throws -> (version: Int, rows: [String]) {
    try await read { reader in
      let version: String? = try reader.value("SELECT value FROM seedbank_meta WHERE key = 'version'")
      let rows: [String] = try reader.rows("SELECT name FROM stop ORDER BY id")
      return (version.flatMap(Int.init) ?? 0, rows)
    }
  }
}
