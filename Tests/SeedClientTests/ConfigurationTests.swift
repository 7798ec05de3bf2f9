import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import Support
import Testing

@testable import SeedClient

/// The initializer of a store rejects invalid arguments with a reason.
@Suite struct ConfigurationTests {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func make(
    server: String = "https://seeds.example", bundle: String? = nil, directory: String? = nil
  ) throws {
    _ = try SeedStore(
      SeedModel(
        dataset: "transit", version: ClientPublisherSimulator.model, schema: fixture.publisher.schema.hash),
      server: try #require(URL(string: server)), root: Data(fixture.publisher.root),
      bundle: bundle.map { try #require(URL(string: $0)) },
      directory: directory.map { try #require(URL(string: $0)) })
  }

  @Test func `the scheme of a server address is case-insensitive`() throws {
    for server in ["HTTP://127.0.0.1:8080", "https://seeds.example:65535/path", "hTTps://seeds.example"] {
      try make(server: server)
    }
  }

  @Test
  func `an invalid server address, a remote bundle and an unusable directory are rejected at once`()
    async
  {
    for server in [
      "ftp://seeds.example", "https://seeds.example:99999", "http://seeds.example:0", "seeds.example",
    ] {
      #expect(await code { try make(server: server) } == .configuration, "\(server)")
    }
    for directory in ["http://seeds.example/store", "/store", "file:///"] {
      #expect(await code { try make(directory: directory) } == .configuration, "\(directory)")
    }
    #expect(await code { try make(bundle: "https://seeds.example/shipped") } == .configuration)
  }

  @Test func `default directories of two programs differ`() {
    let paths = ["com.example.app", "app", "a/b", "..", ""].map {
      StoreDirectory.path(of: "transit", for: $0)
    }
    #expect(
      paths == [
        "Seedbank/com.example.app/transit", "Seedbank/app/transit", "Seedbank/a_b/transit",
        "Seedbank/_/transit", "Seedbank/_/transit",
      ])
  }

  @Test(arguments: [EROFS, EACCES, ENOTDIR, EIO])
  func `a disk error includes a remedy`(_ number: Int32) {
    let error = SeedError(FileError("open", "/store/LOCK", number))
    #expect(error.code == .io && error.message.contains("/store/LOCK"))
    #expect(
      ["give the store", "let this app", "try again"].contains { error.message.contains($0) }, "\(error)")
  }
}
