import SeedClient
import SeedFormat
import SeedSystem
import SeedTrust

/// `pull --bundle`: makes what an app ships.
struct BundlePull: Sendable {
  private let maker: BundleMaker
  private let notice: LifecycleNotice

  init(_ source: PullSource, into directory: String) throws {
    maker = try BundleMaker(
      source.model, server: source.server, root: source.root, directory: directory, options: source.options)
    notice = source.notice
  }

  func run(_ console: Console, isJSON: Bool) async throws {
    // A signal ends it as an error does: nothing stays beside the place.
    let made = Mutex<BundleReport?>(nil)
    try await Signals().cancelling {
      let report = try await maker.make()
      made.withLock { $0 = report }
    }
    guard let report = made.withLock(\.self) else { throw CancellationError() }
    notice.tell(report.lifecycle)
    try isJSON ? console.result(report.json) : console.result(report.text)
  }
}

extension BundleReport {
  fileprivate var text: String {
    """
    \(series): version \(version) in \(directory)
      it adds \(ByteCount(bytes: bytes)) to the app: the snapshot \(snapshotBytes) bytes, root and metadata \
    \(metadataBytes) bytes
      on a device its data takes \(ByteCount(bytes: expandedBytes)) once it was expanded
    """
  }

  fileprivate var json: JSONValue {
    [
      "dataset": .string(series.dataset.text), "series": .integer(Int64(series.major)),
      "model": .string(model.description), "version": .integer(Int64(version.number)),
      "path": .string(directory), "snapshot": .string(snapshot), "bytes": .integer(Int64(bytes)),
      "snapshotBytes": .integer(Int64(snapshotBytes)), "metadataBytes": .integer(Int64(metadataBytes)),
      "expandedBytes": .integer(Int64(expandedBytes)), "lifecycle": lifecycle.json,
    ]
  }
}
