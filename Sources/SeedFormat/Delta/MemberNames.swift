/// The names that a row's members must have, laid out for comparison with the bytes of a document.
package final class MemberNames {
  /// The names' bytes, one behind the other; an array of arrays would be counted anew at each member.
  private let bytes: UnsafeMutablePointer<UInt8>
  private let names: UnsafeMutablePointer<UnsafeBufferPointer<UInt8>>
  let count: Int

  /// The members' names in their order.
  package init(_ names: [String]) {
    count = names.count
    bytes = .allocate(capacity: names.reduce(1) { $0 + $1.utf8.count })
    self.names = .allocate(capacity: count)
    var end = 0
    for (index, name) in names.enumerated() {
      let start = end
      for byte in name.utf8 {
        (bytes + end).initialize(to: byte)
        end += 1
      }
      (self.names + index).initialize(to: UnsafeBufferPointer(start: bytes + start, count: end - start))
    }
  }

  deinit {
    names.deallocate()
    bytes.deallocate()
  }

  @inline(__always)
  func hold(_ found: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    precondition(index >= 0 && index < count, "a name that there is not")
    return BorrowedValue.sameBytes(names[index], found)
  }
}
