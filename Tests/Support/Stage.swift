import Foundation
package import Testing

/// How much one run of the tests does: `TESTS_STAGE` names it, and `Scripts/test` sets it.
package enum Stage: String, Comparable, CaseIterable {
  /// What takes seconds, with fixed seeds.
  case quick
  /// All tests, with samples of what takes hours.
  case full
  /// Each fault at every file operation, and each property with many more histories.
  case deep

  package static let current: Stage = {
    guard let name = ProcessInfo.processInfo.environment["TESTS_STAGE"] else { return .quick }
    guard let stage = Stage(rawValue: name) else {
      fatalError("TESTS_STAGE is quick, full or deep, not \(name)")
    }
    return stage
  }()

  package static var isDeep: Bool { current == .deep }

  package static func < (one: Stage, other: Stage) -> Bool {
    allCases.firstIndex(of: one)! < allCases.firstIndex(of: other)!
  }

  /// The value for this run.
  package static func pick<Value>(quick: Value, full: Value, deep: Value) -> Value {
    switch current {
    case .quick: quick
    case .full: full
    case .deep: deep
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// A test that takes more than a few seconds: `Scripts/test --full` runs it.
  package static var full: Self { .enabled(if: Stage.current >= .full, "Scripts/test --full runs it") }
}
