internal import CMicroHTTPD
internal import Glibc

/// Reads the head of the request that a connection of libmicrohttpd is at.
///
/// It counts along which of the bytes that arrived the parts account for; see
/// ``RequestHead/accountsForEveryByte``.
struct HeadReader {
  private var headers = HTTPHeaders()
  private var accounted = 0
  private let arrived: Int

  private init(_ connection: OpaquePointer) { arrived = seedbank_mhd_head_bytes(connection) }

  /// The head at hand. `target` was copied before libmicrohttpd cut it to pieces.
  static func head(
    of connection: OpaquePointer, method: UnsafePointer<CChar>, target: RawTarget,
    version: UnsafePointer<CChar>
  ) -> RequestHead {
    var reader = HeadReader(connection)
    withUnsafeMutablePointer(to: &reader) { seedbank_mhd_each_field(connection, visitField, $0) }
    let spacesAndLineEnds = 2 + 2 + 2
    let line = strlen(method) + target.byteCount + strlen(version) + spacesAndLineEnds
    return RequestHead(
      method: String(cString: method), target: target.text, version: String(cString: version),
      headers: reader.headers, accountsForEveryByte: reader.accounted + line == reader.arrived)
  }

  fileprivate mutating func add(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
    headers.append(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    accounted += name.count + gap(between: name, and: value) + value.count + 2
  }

  /// Bytes of the colon and the whitespace before the value. A folded line's name was moved elsewhere: then
  /// the answer is more than all that arrived, and nothing adds up any more.
  private func gap(between name: UnsafeBufferPointer<UInt8>, and value: UnsafeBufferPointer<UInt8>) -> Int {
    guard let nameStart = name.baseAddress, let valueStart = value.baseAddress else { return arrived + 1 }
    let gap = Int(bitPattern: valueStart) - Int(bitPattern: nameStart) - name.count
    return 1...max(1, arrived) ~= gap ? gap : arrived + 1
  }
}

private func visitField(
  reader: UnsafeMutableRawPointer?, name: UnsafePointer<CChar>?, nameLength: Int,
  value: UnsafePointer<CChar>?, valueLength: Int
) {
  reader?.assumingMemoryBound(to: HeadReader.self).pointee.add(
    name: bytes(at: name, count: nameLength), value: bytes(at: value, count: valueLength))
}

private func bytes(at start: UnsafePointer<CChar>?, count: Int) -> UnsafeBufferPointer<UInt8> {
  let raw = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
  return raw.assumingMemoryBound(to: UInt8.self)
}

/// The address of the connection's other end; "" if libmicrohttpd does not know it.
func remoteAddress(of connection: OpaquePointer) -> String {
  seedbank_mhd_client_address(connection).flatMap { SocketAddress($0) }?.literal ?? ""
}

/// A request's target, copied before libmicrohttpd splits it in place.
struct RawTarget {
  /// The target; bytes that are not UTF-8 are replaced, and then refused by the guard.
  let text: String
  /// How many bytes it has on the wire up to the first NUL.
  let byteCount: Int

  init(_ target: UnsafePointer<CChar>) {
    text = String(cString: target)
    byteCount = strlen(target)
  }
}
