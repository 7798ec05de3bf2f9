import SeedClient
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

import struct Foundation.URL

extension Command {
  static let pull = Command(
    name: "pull", abstract: "Download a dataset, verified, and keep it fresh.",
    discussion: """
      Asks the server once and brings the store to the newest version, with a snapshot or with the changes since. \
      Everything is verified, beginning with the root file. The result names the SQLite file: read it, do not write \
      to it.

      With --verify it first recomputes the digest from all rows of the store. If it differs from the verified one, \
      a snapshot replaces the data.

      With --bundle it makes the folder that an app ships instead: root, metadata and the newest snapshot, as they \
      were published. It replaces only an older bundle of the same dataset and major.

      A store belongs to one dataset and major. If a series is deprecated or retired, a warning is on stderr.

      Exit codes: 0 done, 65 the server's data was rejected, 69 it does not answer, 74 a disk failed, 75 another \
      process writes to the store or makes the bundle, 78 the root file or the store's directory does not fit.
      """,
    arguments: [.argument("url", help: "The address of the publication's front.")],
    options: [
      .value("dataset", "name", isRequired: true, help: "The dataset."),
      .value("model", "major.minor", isRequired: true, help: "The model version of the data."),
      .value("store", "dir", help: "The store's directory; it is made if it does not exist."),
      .value("bundle", "dir", help: "Make a bundle for an app in this directory, instead of a store."),
      .value("root", "file", isRequired: true, help: "The publication's root.json, from a source you trust."),
      .flag("check", help: "Show what would be downloaded, and how many bytes; fetch only metadata."),
      .flag("verify", help: "Check the store's data first; damaged data is replaced."),
      .flag("watch", help: "Continue until SIGINT, SIGTERM or a closed stdout, with a line for each change."),
      .json,
    ],
    examples: [
      (
        "seedbank pull https://seeds.example --dataset transit --model 2.1 \\\n"
          + "      --store ./seeds --root root.json", "Keep the newest transit data in ./seeds."
      ),
      (
        "seedbank pull https://seeds.example --dataset transit --model 2.1 \\\n"
          + "      --bundle ./App/Seed --root root.json",
        "Make the bundle that an app ships for its first start."
      ),
    ]
  ) { arguments, context in
    let pull = try Pull(arguments, context)
    let directory = try arguments.path("store", from: context.currentDirectory)
    if let bundle = try arguments.path("bundle", from: context.currentDirectory) {
      guard directory == nil, !["check", "watch", "verify"].contains(where: arguments.flag) else {
        throw arguments.unsuitable(
          "bundle", bundle, "none of --store, --watch, --check and --verify beside it")
      }
      return try await pull.makeBundle(in: bundle)
    }
    guard let directory else {
      throw arguments.unsuitable("store", "nothing", "a path here, or for --bundle")
    }
    for other in ["watch", "verify"] { try arguments.refuse("check", beside: other) }
    let store = try pull.store(in: directory)
    if arguments.flag("verify") { try await pull.verify(store) }
    if arguments.flag("check") {
      try await pull.check(store)
    } else if arguments.flag("watch") {
      try await pull.watch(store)
    } else {
      try await pull.update(store)
    }
  }
}

extension ParsedArguments {
  func server(_ name: String) throws(Refusal) -> URL {
    if let server = Self.address(required(name)) { return server }
    throw unsuitable(name, required(name), "an address such as https://seeds.example")
  }

  static func address(_ text: String) -> URL? {
    URL(string: text).flatMap { ["http", "https"].contains($0.scheme) && $0.host != nil ? $0 : nil }
  }

  func rootFile(from directory: String) throws -> [UInt8]? {
    try path("root", from: directory).map(TextFile.root)
  }
}

extension TextFile {
  static func root(_ path: String) throws -> [UInt8] {
    let bytes = try bytes(path, for: .readingAny)
    try ShippedRoot.check(bytes, name: path)
    return bytes
  }
}

/// Warns once per change of lifecycle that a series is deprecated or retired.
final class LifecycleNotice: Sendable {
  private let console: Console
  private let series: SeedSeries
  /// True for `--watch --json`, which prints an event; otherwise the result includes the lifecycle.
  private let isEvent: Bool
  private let told = Mutex(SeedLifecycle.active)

  init(_ series: SeedSeries, _ console: Console, isEvent: Bool) {
    (self.series, self.console, self.isEvent) = (series, console, isEvent)
  }

  func tell(_ lifecycle: SeedLifecycle) {
    let isNews = told.withLock { told in
      defer { told = lifecycle }
      return told != lifecycle
    }
    guard isNews else { return }
    console.warning("\(series) \(words(lifecycle))")
    // If this fails, the reader has closed stdout, and the next event fails too.
    if isEvent { try? console.result(["event": "lifecycle", "lifecycle": lifecycle.json]) }
  }

  private func words(_ lifecycle: SeedLifecycle) -> String {
    let message = lifecycle.message.map { " (\($0))" } ?? ""
    return switch lifecycle {
    case .active: "is active again"
    case .deprecated(let sunset, _):
      "is deprecated\(sunset.map { " and ends on \($0)" } ?? "")\(message): move on to a newer model"
    case .retired: "has ended and gets no more updates\(message): move on to a newer model"
    }
  }
}
