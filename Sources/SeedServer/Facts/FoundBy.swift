/// By what a step found which rows of its origin had changed.
package struct FoundBy: Hashable, Sendable {
  /// The way.
  package enum Way: String, Sendable, CaseIterable {
    /// The origin's log named the rows.
    case log
    /// Every row was compared.
    case comparison
    /// Every row was compared, to check the log.
    case audit
  }

  package let way: Way
  /// Why rows were compared though the dataset asks for the log; `nil` where all went as it is configured.
  package let reason: String?

  package init(_ way: Way, reason: String? = nil) { (self.way, self.reason) = (way, reason) }

  /// For people.
  package var words: String { "found by \(way.rawValue)" + (reason.map { " (\($0))" } ?? "") }
}
