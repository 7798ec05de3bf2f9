import Foundation
import SeedClient

/// A failure of the server, the network or the device, simulated by a ``TestPublisher``.
public enum TestFailure: Hashable, Sendable {
  /// No connection: ``SeedClient/SeedError/Code/network``.
  case offline
  /// The download is too slow: ``SeedClient/SeedError/Code/timedOut``.
  case slow
  /// The server asks clients to wait: ``SeedClient/SeedError/Code/serverBusy``.
  case busy(retryAfter: Duration? = nil)
  /// A network's sign-in page replaces each file: ``SeedClient/SeedError/Code/server``.
  case signInPage
  /// The server lacks all snapshots and deltas: ``SeedClient/SeedError/Code/missingFile``.
  case missingFiles
  /// Snapshots and deltas do not match their signed hashes: ``SeedClient/SeedError/Code/damaged``.
  case damagedFiles
  /// The signatures are not the publisher's: ``SeedClient/SeedError/Code/untrusted``, or
  /// ``SeedClient/SeedError/Code/configuration`` before the store's first update.
  case badSignatures
  /// The publisher has been down for more than a week: ``SeedClient/SeedError/Code/stale``.
  case expired
  /// The device has no free space: ``SeedClient/SeedError/Code/insufficientSpace``.
  case fullDisk

  private static let page = Array("<html><body>Please sign in.</body></html>".utf8)
  /// The client's own limit for a download without progress.
  private static let window = Duration.seconds(30)

  /// The response that replaces every file; `nil` if files are sent.
  func answer(_ request: TransportRequest) throws(TransportError) -> FileAnswer? {
    let url = request.url.absoluteString
    switch self {
    case .offline: throw .unreachable(url: url, reason: "offline")
    case .slow: throw .tooSlow(url: url, bytes: 0, in: Self.window)
    case .busy(let wait):
      let fields = wait.map { ["Retry-After": "\($0.components.seconds)"] } ?? [:]
      return FileAnswer(head: ResponseHead(status: 503, fields: fields), body: [])
    case .signInPage:
      return FileAnswer(
        head: ResponseHead(status: 200, fields: ["Content-Type": "text/html"]), body: Self.page[...])
    case .missingFiles, .damagedFiles, .badSignatures, .expired, .fullDisk: return nil
    }
  }

  func content(_ content: [UInt8]?, of name: String) -> [UInt8]? {
    let isObject = MemoryHost.isObject(name)
    switch self {
    case .missingFiles: return isObject ? nil : content
    case .damagedFiles: return isObject ? content?.map { ~$0 } : content
    case .badSignatures: return isObject ? content : content.map(Self.withOtherSignatures)
    case .offline, .slow, .busy, .signInPage, .expired, .fullDisk: return content
    }
  }

  private static let signature = #""sig":""#

  private static func withOtherSignatures(_ document: [UInt8]) -> [UInt8] {
    let parts = String(decoding: document, as: UTF8.self).components(separatedBy: signature)
    let others = parts.dropFirst().map { ($0.first == "0" ? "1" : "0") + $0.dropFirst() }
    return Array((parts.prefix(1) + others).joined(separator: signature).utf8)
  }
}
