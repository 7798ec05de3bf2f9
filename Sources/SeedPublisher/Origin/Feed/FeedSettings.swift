package import SeedImport

/// What an operator says of a feed: where its files come from, and what they are.
package struct FeedSettings: Hashable, Sendable {
  package enum Source: Hashable, Sendable {
    /// A folder, a file or an archive that somebody else fills.
    case path(String)
    /// A program with its arguments, which fills a folder.
    case command([String])
  }

  /// `nil` where the origin is no feed.
  package var source: Source?
  /// What the files' names do not say.
  package var tables: [FeedTable] = []
  /// The file whose presence says that all others are complete.
  package var marker: String?
  /// Seconds for which files must rest before they are read, where no marker tells.
  package var settleSeconds = 5
  /// What an empty field of CSV is, where nothing else is said of its file.
  package var emptyFields = CSVFormat.EmptyFields.auto
  /// Bytes that all files may have, expanded.
  package var mostBytes = 100_000_000_000
  /// Seconds after which the program is ended.
  package var timeoutSeconds = 600
  /// Seconds between two starts of the program, where a process does that again and again.
  package var everySeconds = 3600

  package init() {}
}

/// What a file's name says.
enum FeedName {
  /// Without the ending of a compressed file.
  static func bare(_ name: String) -> String { name.hasSuffix(".gz") ? String(name.dropLast(3)) : name }

  static func isText(_ name: String) -> Bool { bare(name).lowercased().hasSuffix(".txt") }

  static func isArchive(_ name: String) -> Bool { name.lowercased().hasSuffix(".zip") }

  /// The table that a file is named after.
  static func table(_ name: String) -> String {
    let bare = bare(name)
    return bare.lastIndex(of: ".").map { String(bare[..<$0]) } ?? bare
  }

  /// How the rows lie in it; `nil` for what is no part of a feed.
  static func layout(_ name: String, empty: CSVFormat.EmptyFields) -> ImportMapping.Layout? {
    switch bare(name).lowercased().split(separator: ".").last {
    case "csv", "txt": .csv(CSVFormat(empty: empty))
    case "tsv": .csv(CSVFormat(delimiter: "\t", empty: empty))
    case "ndjson", "jsonl": .lines
    case "json": .array
    default: nil
    }
  }
}
