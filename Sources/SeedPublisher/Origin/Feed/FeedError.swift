package import SeedDatabase
import SeedFormat

/// A feed that cannot be read, or whose content cannot be published.
package enum FeedError: OriginFailure {
  case missing(path: String)
  case noFiles(path: String)
  case unfinished(path: String, reason: String)
  case missingFile(table: String, wanted: String, path: String)
  case doubledFile(table: String, files: [String])
  case document(String)
  case duplicateKey(table: String, key: String, places: [String])
  case tooLong(path: String, limit: Int)
  case program(String, String, said: String, log: String)
  case notLoaded(path: String)
  case untyped(source: String, table: String, types: [(column: String, type: FeedTable.ColumnType)])
  case staging(path: String, reason: DatabaseError)

  /// Whether a retry may succeed without a change by the operator.
  package var isUnavailable: Bool {
    switch self {
    case .missing, .noFiles, .unfinished, .program, .notLoaded, .staging: true
    default: false
    }
  }

  package var isConfiguration: Bool { if case .untyped = self { true } else { false } }

  package var description: String {
    switch self {
    case .missing(let path):
      "there is no feed at \(path): put a folder, a file or a .zip there, or correct origin.feed"
    case .noFiles(let path):
      "the feed \(path) has no file whose name ends in .csv, .txt, .tsv, .ndjson, .jsonl or .json, with or without .gz, or in "
        + ".zip: put the files there, or name others in origin.tables"
    case .unfinished(let path, let reason):
      "the feed \(path) is still being written: \(reason); nothing of it is read until it is complete"
    case .missingFile(let table, let wanted, let path):
      "the feed \(path) has no file for the table \"\(table)\" (\(wanted)): put it there, or name it in origin.tables; where "
        + "the file may be absent and the table is empty then, add \"optional\": true to \"\(table)\" in origin.tables"
    case .doubledFile(let table, let files):
      "the table \"\(table)\" has several files, \(files.joined(separator: " and ")): remove all but one, or name them together "
        + "with * in origin.tables"
    case .document(let message): message
    case .duplicateKey(let table, let key, let places):
      "table \"\(table)\": two rows have the key \(key), at \(places.joined(separator: " and ")): remove one of them"
    case .tooLong(let path, let limit):
      "the feed \(path) has more than \(limit) bytes, expanded: if that is right, raise origin.maximumBytes"
    case .program(let program, let problem, let said, let log):
      "origin.command: \(program) \(problem), so nothing new is published; \(said.isEmpty ? "it said nothing" : "it said: \(said)") "
        + "(\(log) has the end of it)"
    case .notLoaded(let path):
      "the feed \(path) was not loaded yet: 'seedbank regenerate' loads and publishes it"
    case .untyped(let source, let table, let types):
      "\(source) reads columns of the table \"\(table)\" of which nobody said whether they hold numbers or texts, and texts are "
        + "compared as texts. As far as their values tell, add this to \"\(table)\" in origin.tables: \"types\": "
        + JSONValue.object(types.map { JSONMember($0.column, .string($0.type.rawValue)) }).text
    case .staging(let path, let reason):
      "the feed's rows cannot be kept in \(path): \(reason.message); see that the disk has room. What is there is made anew"
    }
  }
}
