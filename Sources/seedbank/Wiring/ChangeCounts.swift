import SeedDatabase
import SeedFormat

extension TableChanges {
  /// For an operator.
  var words: String { "\(inserted) inserted, \(updated) updated, \(deleted) deleted" }

  /// The counts for a script.
  var members: [JSONMember] {
    [("inserted", inserted), ("updated", updated), ("deleted", deleted)].map {
      JSONMember($0, .integer(Int64($1)))
    }
  }
}

extension ChangeReport {
  /// All tables together.
  var words: String {
    values.reduce(into: TableChanges()) { total, changes in
      total.inserted += changes.inserted
      total.updated += changes.updated
      total.deleted += changes.deleted
    }.words
  }

  /// The tables that changed, by name.
  var json: JSONValue {
    .object(
      filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map {
        JSONMember($0.key, .object($0.value.members))
      })
  }
}
