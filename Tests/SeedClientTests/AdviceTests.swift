import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import Support
import Testing

@testable import SeedClient

/// Error messages name the server or file and a remedy.
@Suite struct AdviceTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "Alexanderplatz"])
  }

  private func failure(_ body: () async throws -> Void) async throws -> SeedError {
    do {
      try await body()
    } catch {
      return try #require(error as? SeedError)
    }
    throw Missing()
  }

  private struct Missing: Error {}

  @Test
  func `a root that does not fit, an unknown series and a missing publication are reported with the server`()
    async throws
  {
    let invalid = try await failure { _ = try fixture.store(root: Array("{}".utf8)) }
    #expect(invalid.code == .configuration && !invalid.isRetryable)
    #expect(invalid.message.contains("the app's root.json") && invalid.message.contains("from the publisher"))
    let other = try ClientPublisherSimulator()
    let foreign = try await failure { try await fixture.store(root: other.root).keepUpdated() }
    #expect(foreign.code == .configuration && !foreign.isRetryable)
    #expect(foreign.message.contains("at http://seeds.example: its keys are not those of this root.json"))
    let unknown = try await failure { try await fixture.store("trnsit").update() }
    #expect(unknown.code == .noCompatibleModel && unknown.isRetryable)
    #expect(unknown.message.hasPrefix("http://seeds.example does not publish trnsit/2: check the dataset"))
    fixture.publisher.withServed { $0.files = [:] }
    let missing = try await failure { try await fixture.store(server: "http://seeds.example/p/").update() }
    #expect(missing.code == .missingFile)
    #expect(missing.message.hasPrefix("http://seeds.example/p does not have metadata/timestamp.json: give"))
  }

  @Test func `signatures by other keys are retried after the first valid ones, even without data`()
    async throws
  {
    try await fixture.store().update()
    let other = try ClientPublisherSimulator()
    fixture.publisher.withServed { served in served.files = other.withServed { $0.files } }
    for isLost in [false, true] {
      if isLost { try FileManager.default.removeItem(atPath: "\(fixture.directory)/CURRENT") }
      let error = try await failure { try await fixture.store().update() }
      #expect(error.code == .untrusted && error.isRetryable)
    }
  }

  @Test
  func `a directory of another dataset, or for a tool of another major, is rejected and left unchanged`()
    async throws
  {
    try await fixture.store().update()
    let before = try String(contentsOfFile: "\(fixture.directory)/CURRENT", encoding: .utf8)
    let error = try await failure { try await fixture.store("trnsit").update() }
    #expect(error.code == .configuration && !error.isRetryable)
    #expect(error.message.hasSuffix("is a store of transit/2: give trnsit/2 a directory of its own"))
    #expect(try String(contentsOfFile: "\(fixture.directory)/CURRENT", encoding: .utf8) == before)
    // The lock stays free for the directory's own store.
    try await fixture.store().update()
    var bound = SeedOptions()
    bound.isBoundToMajor = true
    let tool = try await failure { try await fixture.store(model: "3.0", options: bound).update() }
    #expect(tool.code == .configuration)
    let app = try fixture.store(model: "3.0")
    #expect(try await failure { try await app.update() }.code == .noCompatibleModel)
    let state = await app.state
    #expect(state.newestVersion == nil && state.lastChecked == nil)
  }

  @Test
  func
    `errors of a retired series and of a full disk include a remedy, and a cancelled operation can be retried`()
    async throws
  {
    fixture.publisher.lifecycle = .retired(message: "Use major 3.")
    try fixture.publisher.withdraw { _ in true }
    let ended = try await failure { try await fixture.store().update() }
    #expect(ended.code == .retired && !ended.isRetryable)
    #expect(ended.message == "the series has ended (Use major 3.): release the app with a newer model")
    let full = SeedError(FileError("write", "/x", ENOSPC))
    #expect(full.code == .insufficientSpace && full.isRetryable && full.message.hasSuffix("and try again"))
    #expect(SeedError(CancellationError()).isRetryable)
  }

  @Test(arguments: [ResultCode.cannotOpen, ResultCode.readOnly, ResultCode.denied])
  func `a database that SQLite may not open or write is reported with the rights that it needs`(_ code: Int32)
  {
    let error = SeedError(DatabaseError(code: code, message: "refused", subject: "/store/seed.sqlite"))
    #expect(error.code == .io && error.message.contains("/store/seed.sqlite: let this app read and write"))
  }

  @Test func `a lack of file descriptors is not reported as one of rights or as a fault of the disk`() {
    let error = DatabaseError(code: ResultCode.cannotOpen, message: "", subject: "", place: .descriptors)
    for error in [SeedError(error), SeedError(FileError("open", "/x", EMFILE))] {
      #expect(error.code == .io && error.message.hasSuffix(FileError.exhaustedRemedy))
    }
  }
}
