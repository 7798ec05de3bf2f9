import SeedDatabase

/// A savepoint that also restores the counts of the tables written in it.
struct RowSavepoint {
  private let connection: Connection
  private let name: String
  private let marks: [(target: ImportTarget, mark: ImportTarget.Mark)]

  init(_ connection: Connection, _ name: String, _ targets: [ImportTarget]) throws {
    (self.connection, self.name) = (connection, name)
    var known: Set<ObjectIdentifier> = []
    marks = targets.filter { known.insert(ObjectIdentifier($0)).inserted }.map { ($0, $0.mark) }
    try connection.cached("SAVEPOINT \(name)").run()
  }

  func keep() throws { try connection.cached("RELEASE \(name)").run() }

  func takeBack() throws {
    try connection.cached("ROLLBACK TO \(name)").run()
    try keep()
    for mark in marks { mark.target.restore(mark.mark) }
  }
}
