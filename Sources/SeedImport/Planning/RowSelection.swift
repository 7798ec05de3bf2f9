import SeedFormat

struct RowSelection {
  private let conditions: [RowCondition]

  init(_ conditions: [RowCondition]) { self.conditions = conditions }

  var members: Set<String> {
    Set(
      conditions.compactMap { condition in
        if case .member(let name)? = condition.member.steps.first { name } else { nil }
      })
  }

  func takes(_ source: borrowing DocumentSource) -> Bool {
    for condition in conditions where !isMet(condition, source) { return false }
    return true
  }

  private func isMet(_ condition: RowCondition, _ source: borrowing DocumentSource) -> Bool {
    guard let index = find(condition.member.steps, source) else { return condition.values.contains(.null) }
    guard let value = source.plainValue(index) else { return false }
    return condition.values.contains(value)
  }

  private func find(_ steps: [MemberPath.Step], _ source: borrowing DocumentSource) -> Int? {
    var index = 0
    for step in steps {
      guard let next = find(step, in: index, source) else { return nil }
      index = next
    }
    return index
  }

  private func find(_ step: MemberPath.Step, in index: Int, _ source: borrowing DocumentSource) -> Int? {
    var next = index + 1
    switch (step, source.tape.kind(index)) {
    case (.member(let name), .object):
      for _ in 0..<source.tape.count(index) {
        if source.text(next).elementsEqual(name.utf8) { return next + 1 }
        next = source.tape.end(of: next + 1)
      }
    case (.element(let number), .array) where number < source.tape.count(index):
      for _ in 0..<number { next = source.tape.end(of: next) }
      return next
    default: break
    }
    return nil
  }
}
