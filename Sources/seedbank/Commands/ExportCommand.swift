import Foundation
import SeedDatabase
import SeedFormat
import SeedPublisher
import SeedSystem
import SeedTrust

extension Command {
  static let export = Command(
    name: "export", abstract: "Write a published version as a database file.",
    discussion: """
      You can export any version that can be rebuilt from the published snapshots and deltas; 'diff' shows how two versions \
      differ. The file is a plain SQLite file with all tables, indexes and search tables, for archives, tests and other programs. \
      The file gets its name only after its rows were checked against the signed digest. An existing file is not replaced.
      """,
    options: [
      .config, .value("to", "file", isRequired: true, help: "The file to write."),
      .value("version", "number", help: "The version to write (default: the newest)."), .dataset, .series,
      .json,
    ],
    examples: [
      ("seedbank export --to newest.sqlite", "The newest version of the only series."),
      (
        "seedbank export --dataset transit --series 2 --version 41 \\\n"
          + "      --to transit-41.sqlite", "Version 41 of transit/2."
      ),
    ]
  ) { arguments, context in
    let choice = try SeriesChoice(arguments, try context.configuration(arguments))
    let number = try arguments.version("version")
    let destination = try arguments.requiredPath("to")
    try Paths.requireNew(destination)
    let published = try choice.published()
    let version = number ?? published.state.head
    let recall = SeriesRecall(choice.publication, published)
    let meta = try await blocking { try export(version, of: recall, to: destination) }
    let bytes = try File(destination, for: .reading).length()
    try context.console.report(
      [
        "file": .string(destination), "series": .string("\(choice.series)"),
        "version": JSONValue(version.number), "model": .string("\(meta.model)"), "bytes": JSONValue(bytes),
      ],
      "\(choice.series): version \(version) of model \(meta.model) is in \(destination.printable), \(ByteCount(bytes: bytes))"
    )
  }

  private static func export(
    _ version: SeedVersion, of recall: SeriesRecall, to destination: String
  ) throws -> SeedMeta {
    // In the destination's folder, so that the rename is atomic. The process id keeps concurrent exports apart.
    let draft = "\(destination).\(getpid())\(DurableFile.temporarySuffix)"
    let scratch = try ScratchFolder(andDraft: draft)
    defer { scratch.remove() }
    // Fails if the destination is not writable. SQLite's own error would not mention that.
    _ = try File(draft, for: .replacing)
    let meta = try recall.export(version, to: draft, by: scratch.file("version.sqlite"))
    try Paths.requireNew(destination)
    try DurableFile.moveIntoPlace(draft, destination)
    return meta
  }
}
