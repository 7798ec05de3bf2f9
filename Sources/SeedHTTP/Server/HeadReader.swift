internal import CMicroHTTPD
import SeedFormat

/// Scans a request's head in one pass and counts the bytes of its parts; see ``RequestGuard``. Valid during one call.
struct HeadReader {
  private(set) var fields = HeaderScan()
  private var accounted = 0
  private let arrived: Int
  /// The fields, not copied. Omits those beyond ``HeadSize/fieldLimit``.
  private let lines: UnsafeMutableBufferPointer<Line>

  private typealias Line = (name: HeadText, value: HeadText)

  /// Passes the head to `body`. The fields are on the stack, because a cached response must not allocate.
  static func read<Result>(_ connection: OpaquePointer, _ body: (HeadReader) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: Line.self, capacity: HeadSize.fieldLimit) { lines in
      var reader = HeadReader(arrived: seedbank_mhd_head_bytes(connection), lines: lines)
      withUnsafeMutablePointer(to: &reader) { seedbank_mhd_each_field(connection, scanField, $0) }
      return body(reader)
    }
  }

  private init(arrived: Int, lines: UnsafeMutableBufferPointer<Line>) {
    (self.arrived, self.lines) = (arrived, lines)
  }

  /// Copies the fields.
  var headers: HTTPHeaders {
    HTTPHeaders(lines.prefix(fields.fieldCount).map { HTTPHeaders.Field($0.name.text, $0.value.text) })
  }

  /// Throws if the head is too large, without checking anything else.
  func checkSize(with line: RequestLine) throws(Problem) {
    guard line.targetBytes <= HeadSize.targetLimit else { throw .targetTooLong }
    guard arrived + fields.fieldCount * HeadSize.fieldBytes <= HeadSize.limit else {
      throw Problem(
        .headTooLarge,
        """
        The request's line and header fields have more than \(HeadSize.limit) bytes. Each field counts \
        \(HeadSize.fieldBytes) bytes more than its text.
        """)
    }
    guard fields.fieldCount <= HeadSize.fieldLimit else {
      throw Problem(.headTooLarge, "The request has more than \(HeadSize.fieldLimit) header fields.")
    }
  }

  func accountsForEveryByte(with line: RequestLine) -> Bool {
    let spacesAndLineEnds = 2 + 2 + 2
    let bytes = line.method.count + line.targetBytes + line.version.count + spacesAndLineEnds
    return accounted + bytes == arrived
  }

  fileprivate mutating func add(name: HeadText, value: HeadText) {
    if fields.fieldCount < lines.count {
      lines.initializeElement(at: fields.fieldCount, to: (name, value))
    }
    fields.add(name: name, value: value)
    accounted += name.count + gap(between: name, and: value) + value.count + 2
  }

  /// Bytes of the colon and white space before the value. If a folded line was moved into the name, returns more than
  /// all received bytes, so that the sum cannot match.
  private func gap(between name: HeadText, and value: HeadText) -> Int {
    guard let nameStart = name.baseAddress, let valueStart = value.baseAddress else { return arrived + 1 }
    let gap = Int(bitPattern: valueStart) - Int(bitPattern: nameStart) - name.count
    return 1...max(1, arrived) ~= gap ? gap : arrived + 1
  }
}

private func scanField(
  reader: UnsafeMutableRawPointer?, name: UnsafePointer<CChar>?, nameLength: Int,
  value: UnsafePointer<CChar>?, valueLength: Int
) {
  reader?.assumingMemoryBound(to: HeadReader.self).pointee.add(
    name: headText(at: name, count: nameLength), value: headText(at: value, count: valueLength))
}

func headText(at start: UnsafePointer<CChar>) -> HeadText { headText(at: start, count: strlen(start)) }

private func headText(at start: UnsafePointer<CChar>?, count: Int) -> HeadText {
  let raw = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
  return raw.assumingMemoryBound(to: UInt8.self)
}
