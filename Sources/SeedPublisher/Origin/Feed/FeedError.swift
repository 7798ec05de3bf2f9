import SeedDatabase
import SeedFormat

/// A feed that cannot be read, or whose content cannot be published.
package enum FeedError: OriginFailure {
  /// A retry may succeed without a change by the operator.
  case unavailable(String)
  case unfinished(path: String, reason: String)
  case notLoaded(path: String)
  case document(String)
  case tooLong(path: String, limit: Int)
  case untyped(source: String, table: String, types: [(column: String, type: FeedTable.ColumnType)])

  package var isUnavailable: Bool {
    switch self {
    case .unavailable, .unfinished, .notLoaded: true
    case .document, .tooLong, .untyped: false
    }
  }

  package var isConfiguration: Bool { if case .untyped = self { true } else { false } }

  package var description: String {
    switch self {
    case .unavailable(let message), .document(let message): message
    case .unfinished(let path, let reason):
      "the feed \(path) is still being written: \(reason); nothing of it is read until it is complete"
    case .notLoaded(let path):
      "the feed \(path) was not loaded yet: 'seedbank regenerate' loads and publishes it"
    case .tooLong(let path, let limit):
      "the feed \(path) has more than \(limit) bytes, expanded: if that is right, raise origin.maximumBytes"
    case .untyped(let source, let table, let types):
      "\(source) reads columns of the table \"\(table)\" of which nobody said whether they hold numbers or texts, and texts are "
        + "compared as texts. As far as their values tell, add this to \"\(table)\" in origin.tables: \"types\": "
        + JSONValue.object(types.map { JSONMember($0.column, .string($0.type.rawValue)) }).text
    }
  }
}
