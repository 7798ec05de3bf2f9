import SeedDatabase
import SeedFormat

/// Which columns of a table a row fills; one word for all tables that people make.
struct SlotSet: Hashable {
  private var low: UInt64 = 0
  private var high: Set<Int> = []

  @inline(__always)
  mutating func clear() {
    low = 0
    if !high.isEmpty { high = [] }
  }

  @inline(__always)
  mutating func insert(_ column: Int) {
    if column < 64 { low |= 1 << UInt64(column) } else { high.insert(column) }
  }

  func contains(_ column: Int) -> Bool {
    column < 64 ? low & 1 << UInt64(column) != 0 : high.contains(column)
  }

  @inline(__always)
  static func == (left: SlotSet, right: SlotSet) -> Bool {
    left.low == right.low && (left.high.isEmpty && right.high.isEmpty || left.high == right.high)
  }
}
