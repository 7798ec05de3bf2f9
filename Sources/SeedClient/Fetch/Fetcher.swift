import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// Gets a publication's files from its server.
struct Fetcher: Sendable {
  let server: ServerAddress
  let surroundings: Surroundings
  let patience: SeedPatience
  let partial: PartialFolder
  /// The update that it fetches for.
  var errand = Errand()

  /// Bytes of one part. Foundation on Linux gathers what arrives faster than it is taken, without a bound
  /// (and its `suspend()` starts the transfer anew), so a part is what may pile up in memory.
  static let partBytes = 4 * 1024 * 1024

  init(_ server: ServerAddress, _ surroundings: Surroundings, _ layout: StoreLayout, _ options: SeedOptions) {
    self.server = server
    self.surroundings = surroundings
    patience = options.patience
    partial = PartialFolder(layout.partial)
  }

  /// The same, for an update.
  func on(_ errand: Errand) -> Fetcher {
    var fetcher = self
    fetcher.errand = errand
    return fetcher
  }

  /// A metadata file, `nil` where the server has none; it is the caller who judges it.
  func metadata(_ name: String, limit: Int) async throws -> [UInt8]? {
    let request = TransportRequest(try server.url("metadata/\(name)"), policy: errand.policy)
    let deadline = surroundings.uptime() + patience.total
    return try await retrying(received: { 0 }) {
      try await whole(request, limit: limit, until: deadline)
    }
  }

  /// A snapshot or a delta, with the length and the hash that were signed.
  func object(_ object: PublishedObject) async throws -> FetchedObject {
    let url = try server.url(object.filePath)
    let file = try await partial.open(object, url: url.absoluteString)
    do {
      try await Download(file, from: url, for: self).run()
      return FetchedObject(object: object, path: file.path, phases: errand.phases)
    } catch {
      if !file.isResumable || !error.leavesParts { file.discard() }
      throw error
    }
  }

  /// Calls `body` again where its failure may pass, as ``RetryRule`` says.
  func retrying<Result>(
    received: () -> Int, _ body: () async throws -> Result
  ) async throws -> Result {
    var rule = RetryRule()
    while true {
      do {
        return try await body()
      } catch let error as TransportError {
        let wait = rule.wait(after: error, received: received(), chance: surroundings.chance())
        guard let wait else { throw error }
        errand.count { $0.retries += 1 }
        try await surroundings.sleep(wait)
      }
    }
  }

  private func whole(_ request: TransportRequest, limit: Int, until deadline: Duration) async throws
    -> [UInt8]?
  {
    let bytes = Mutex<[UInt8]>([])
    let attempt = Attempt(fetcher: self, request: request, length: nil, deadline: deadline)
    let reply = try await attempt.run { piece, _ in
      try bytes.withLock { bytes in
        guard bytes.count + piece.count <= limit else {
          throw TransportError.tooLong(url: request.text, limit: limit)
        }
        bytes += piece
      }
    }
    return reply == .absent ? nil : bytes.withLock { $0 }
  }
}

extension Error {
  /// Whether what came before it may be gone on with.
  fileprivate var leavesParts: Bool {
    if self is CancellationError { return true }
    switch self as? TransportError {
    case .unreachable, .waiting, .status, .webPage, .tooSlow, .tooLate: return true
    default: return false
    }
  }
}

/// A file as it was published, on this device: not yet expanded, but what was signed.
struct FetchedObject: Sendable {
  let object: PublishedObject
  let path: String
  /// Whether the file belongs to the app, which brought it along.
  var isBorrowed = false
  /// Who hears how its use goes on.
  var phases = PhaseSender.silent

  /// Uses the file, which goes where it is of no use. Where its use is cancelled, as in the background on a phone, or
  /// the disk is full, it stays: the next update finds it whole and asks for no byte of it.
  func using<Value>(
    isolation: isolated (any Actor)? = #isolation, _ use: () async throws -> Value
  ) async throws -> Value {
    do {
      return try await use()
    } catch {
      if !Task.isCancelled, SeedError(error).code != .insufficientSpace { discard() }
      throw error
    }
  }

  /// Removes the file, once what came of it counts. Where that fails, the sweep at the next start does it.
  func discard() { if !isBorrowed { PartialFile.discard(path) } }
}
