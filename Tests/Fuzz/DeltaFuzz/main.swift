// Reads any bytes as a delta up to its end or its error. It must neither trap nor touch foreign memory.
import CFuzzer
import SeedFormat

@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  let document = Array(UnsafeBufferPointer(start: data, count: size))
  guard let rows = try? readWhole(document) else { return 0 }
  precondition((try? JSONValue(parsing: document)) != nil, "\(rows) rows of a delta that is not JSON")
  return 0
}

private func readWhole(_ document: [UInt8]) throws -> Int {
  var reader = try DeltaReader(document)
  var rows = 0
  var values: [BorrowedValue] = []
  while case let event = try reader.next(), event != .end {
    switch event {
    case .end, .table, .skip: continue
    case .fill, .delete, .insert, .update: rows += 1
    }
    try reader.read(into: &values)
    precondition(touch(values) >= 0, "lengths are not negative")
  }
  return rows
}

/// Reads every borrowed byte, so that the address sanitizer checks each.
private func touch(_ values: [BorrowedValue]) -> Int {
  values.reduce(0) { sum, value in
    switch value {
    case .text(let bytes), .blob(let bytes): bytes.reduce(sum + bytes.count) { $0 + Int($1) }
    default: sum
    }
  }
}

var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
var count = CommandLine.argc
_ = LLVMFuzzerRunDriver(&count, &arguments) { fuzzOneInput($0, $1) }
