/// What SQLite refused, with what was asked of it.
package struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The extended result code.
  package let code: Int32
  /// SQLite's own words.
  package let message: String
  /// The statement, or the path where a file could not be opened. Bound values are never kept.
  package let subject: String
  /// Where in the subject it is, in bytes, as far as SQLite says.
  package let offset: Int?

  package init(code: Int32, message: String, subject: String, offset: Int? = nil) {
    self.code = code
    self.message = message
    self.subject = subject
    self.offset = offset
  }

  /// The subject's line that is at fault, counted from 1.
  package var line: Int? {
    offset.map { 1 + subject.utf8.prefix($0).count { $0 == UInt8(ascii: "\n") } }
  }

  /// The code without its extension.
  package var primaryCode: Int32 { code & 0xFF }

  package var description: String { "SQLite says \"\(message)\" (\(code)) to: \(subject)" }
}

/// The result codes that this project tells apart.
package enum ResultCode {
  package static let denied: Int32 = 3
  package static let busy: Int32 = 5
  package static let noMemory: Int32 = 7
  package static let readOnly: Int32 = 8
  package static let interrupted: Int32 = 9
  package static let io: Int32 = 10
  package static let full: Int32 = 13
  package static let cannotOpen: Int32 = 14
  package static let lockProtocol: Int32 = 15
  package static let corrupt: Int32 = 11
  package static let constraint: Int32 = 19
  package static let notADatabase: Int32 = 26
  /// SQLITE_CONSTRAINT_UNIQUE, _PRIMARYKEY and _ROWID: some other row holds the value.
  package static let taken: Set<Int32> = [19 | 8 << 8, 19 | 6 << 8, 19 | 10 << 8]
}
