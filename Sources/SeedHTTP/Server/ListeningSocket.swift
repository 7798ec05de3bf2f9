import SeedSystem

/// A listening TCP socket. libmicrohttpd could create one, but would not report the reason of a failure.
struct ListeningSocket: ~Copyable {
  let port: UInt16
  private let descriptor: CInt

  init(host: String, port: UInt16) throws(HTTPServerError) {
    var (hints, found) = (addrinfo(), nil as UnsafeMutablePointer<addrinfo>?)
    hints.ai_flags = AI_NUMERICHOST
    // `IPAddress` rejects 127.1 and 0x7f000001, which getaddrinfo accepts.
    guard IPAddress(host) != nil, getaddrinfo(host, "\(port)", &hints, &found) == 0,
      let place = found?.pointee
    else { throw .cannotListen(host: host, port: port, reason: "the host is not an IPv4 or IPv6 address") }
    defer { freeaddrinfo(found) }
    let opened = socket(place.ai_family, CInt(SOCK_STREAM.rawValue) | Self.flags, 0)
    guard opened >= 0 else { throw Self.failure(host, port) }
    guard Self.listen(opened, at: place), let bound = Self.boundPort(of: opened) else {
      let failure = Self.failure(host, port)
      close(opened)
      throw failure
    }
    descriptor = opened
    self.port = bound
  }

  deinit { close(descriptor) }

  // A new connection can wake several threads. `accept` must not block the threads that come too late.
  private static let flags = CInt(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)

  /// Maximum unsent bytes of a response in the kernel. Without a limit, it would buffer several megabytes per slow
  /// client, and a thousand would exhaust its TCP memory. Bytes in flight do not count, so fast clients stay fast.
  static let unsentBytes: CInt = 128 * 1024

  private static func listen(_ descriptor: CInt, at place: addrinfo) -> Bool {
    // SO_REUSEADDR: a restart must not wait for the old connections' TIME_WAIT.
    set(SO_REUSEADDR, of: SOL_SOCKET, to: 1, on: descriptor)
    if place.ai_family == AF_INET6 { set(IPV6_V6ONLY, of: CInt(IPPROTO_IPV6), to: 0, on: descriptor) }
    // Connections inherit this option.
    set(TCP_NOTSENT_LOWAT, of: CInt(IPPROTO_TCP), to: unsentBytes, on: descriptor)
    return bind(descriptor, place.ai_addr, place.ai_addrlen) == 0 && Glibc.listen(descriptor, SOMAXCONN) == 0
  }

  private static func set(_ option: CInt, of level: CInt, to value: CInt, on descriptor: CInt) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
  }

  private static func boundPort(of descriptor: CInt) -> UInt16? {
    // The port of a `sockaddr_in` is at the same offset.
    var (address, length) = (sockaddr_in6(), socklen_t(MemoryLayout<sockaddr_in6>.size))
    let failure = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return failure == 0 ? UInt16(bigEndian: address.sin6_port) : nil
  }

  private static func failure(_ host: String, _ port: UInt16) -> HTTPServerError {
    guard errno != EADDRINUSE else { return .portInUse(host: host, port: port) }
    return .cannotListen(host: host, port: port, reason: String(cString: strerror(errno)))
  }

  func duplicatedDescriptor() -> CInt? {
    let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    return duplicate >= 0 ? duplicate : nil
  }

  func endListening() { endTraffic(on: descriptor) }
}

/// Not in a method, because the release build (Swift 6.3.1) does not find SHUT_RDWR in one.
func endTraffic(on descriptor: CInt) { shutdown(descriptor, CInt(SHUT_RDWR)) }
