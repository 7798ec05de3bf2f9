import Foundation
package import Testing

/// The extent of a test run, which `Scripts/test` sets in `TESTS_STAGE`.
package enum Stage: String, Comparable, CaseIterable {
  /// Tests that take seconds, with fixed seeds.
  case quick
  /// All tests, with samples of those that take hours.
  case full
  /// A fault at every file operation, and many more histories for each property.
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

  /// The seed of random values: fixed in a quick run, otherwise different at each call, so failures print it.
  package static var seed: UInt64 { current == .quick ? 1 : .random(in: 0...UInt64.max) }

  /// Seeds of `count` histories; each failure prints its seed.
  package static func seeds(_ count: Int) -> [UInt64] {
    (0..<UInt64(count)).map { current == .quick ? $0 : .random(in: 0...UInt64.max) }
  }

  package static func pick<Value>(quick: Value, full: Value, deep: Value) -> Value {
    switch current {
    case .quick: quick
    case .full: full
    case .deep: deep
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// A test that takes more than a few seconds and runs in `Scripts/test --full`.
  package static var full: Self { .enabled(if: Stage.current >= .full, "Scripts/test --full runs it") }
}
