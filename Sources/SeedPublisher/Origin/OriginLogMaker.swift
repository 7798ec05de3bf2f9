/// Creates and removes the log of one kind of origin.
package protocol OriginLogMaker {
  func draft(_ plans: [SeriesPlan]) throws -> OriginLogDraft
  /// The statements that remove the log; empty without a log.
  func removal() throws -> [String]
  /// The same statements as a script for another user, in one transaction.
  func script(_ statements: [String]) -> [String]
  func run(_ statements: [String]) throws
}

package struct OriginLogDraft {
  /// Tables with a log, each with the means of logging.
  package let logged: [(table: String, by: String)]
  /// Tables without a log, each with the reason. Their rows are compared.
  package let left: [(table: String, reason: String)]
  package let statements: [String]

  /// A table with a remark is compared as a whole after a write.
  package init(
    logged: [(table: String, keys: [String], remark: String?)], left: [(table: String, reason: String)],
    statements: [String]
  ) {
    self.logged = logged.map { table, keys, remark in
      (table, remark.map { "as a whole: \($0)" } ?? "by \(keys.joined(separator: ", "))")
    }
    (self.left, self.statements) = (left, statements)
  }
}
