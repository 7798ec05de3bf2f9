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

  init(_ step: ChangeTrailStep) {
    switch (step.search, step.reason) {
    case (.log, _): self.init(.log, reason: Self.reason(step.comparedTables))
    case (.audit, _): self.init(.audit)
    case (.comparison, let reason?): self = .because(reason)
    case (.comparison, nil): self.init(.comparison)
    }
  }

  static func because(_ reason: ComparisonReason) -> Self { Self(.comparison, reason: reason.description) }

  private static func reason(_ tables: [String]) -> String? {
    guard !tables.isEmpty else { return nil }
    return "all rows of \(tables.map { "\"\($0)\"" }.joined(separator: ", "))"
  }

  /// For people.
  package var words: String { "found by \(way.rawValue)" + (reason.map { " (\($0))" } ?? "") }
}
