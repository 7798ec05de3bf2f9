/// The names that a row's members must have, laid out for comparison with the bytes of a document.
package final class MemberNames: Sendable {
  private let names: [[UInt8]]

  /// The members' names in their order.
  package init(_ names: [String]) { self.names = names.map { Array($0.utf8) } }

  var count: Int { names.count }

  @inline(__always)
  func hold(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    names[index].withUnsafeBufferPointer { BorrowedValue.sameBytes($0, bytes) }
  }
}
