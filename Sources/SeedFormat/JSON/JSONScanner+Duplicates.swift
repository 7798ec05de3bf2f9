// Duplicate member names: RFC 8259 leaves open what they mean, so no two readers would agree.
extension JSONScanner {
  /// Members up to which names are compared pair by pair; a set costs more than that.
  private static let pairwiseMembers = 16

  func refuseDuplicates(_ object: Int, _ tape: borrowing JSONTape) throws(JSONError) {
    let count = tape.count(object)
    guard count > 1 else { return }
    if count > Self.pairwiseMembers { return try refuseDuplicatesBySet(object, tape) }
    var member = object + 1
    for _ in 1..<count {
      member = tape.end(of: member + 1)
      var earlier = object + 1
      while earlier < member {
        if same(earlier, member, tape) { throw duplicate(member, tape) }
        earlier = tape.end(of: earlier + 1)
      }
    }
  }

  private func refuseDuplicatesBySet(_ object: Int, _ tape: borrowing JSONTape) throws(JSONError) {
    var names: Set<[UInt8]> = []
    var member = object + 1
    for _ in 0..<tape.count(object) {
      let name = Array(text(member, of: tape))
      guard names.insert(name).inserted else { throw duplicate(member, tape) }
      member = tape.end(of: member + 1)
    }
  }

  private func same(_ left: Int, _ right: Int, _ tape: borrowing JSONTape) -> Bool {
    guard tape.count(left) == tape.count(right) else { return false }
    return text(left, of: tape).elementsEqual(text(right, of: tape))
  }

  private func duplicate(_ member: Int, _ tape: borrowing JSONTape) -> JSONError {
    JSONError(at: tape.offset(member), "duplicate member name \"\(string(member, of: tape))\"")
  }
}
