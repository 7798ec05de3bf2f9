internal import CMicroHTTPD

struct Daemon: ~Copyable {
  private let daemon: OpaquePointer
  private let hooks: UnsafeMutablePointer<seedbank_mhd_hooks>

  /// Starts serving on a duplicate of the socket; nil if the library cannot start.
  init?(
    _ configuration: HTTPServerConfiguration, on socket: borrowing ListeningSocket,
    dispatcher: RequestDispatcher
  ) {
    guard let descriptor = socket.duplicatedDescriptor() else { return nil }
    var settings = seedbank_mhd_settings(configuration, descriptor: descriptor)
    let hooks = UnsafeMutablePointer<seedbank_mhd_hooks>.allocate(capacity: 1)
    hooks.initialize(to: seedbank_mhd_hooks(dispatcher))
    guard let started = seedbank_mhd_start(&settings, hooks) else {
      // The library may have closed the descriptor, so it is not closed here, but the socket must stop listening.
      socket.endListening()
      hooks.release()
      return nil
    }
    daemon = started
    self.hooks = hooks
  }

  // Ends all connections and joins all threads, after which the hooks are not called any more.
  deinit {
    MHD_stop_daemon(daemon)
    hooks.release()
  }
}

extension seedbank_mhd_settings {
  fileprivate init(_ configuration: HTTPServerConfiguration, descriptor: CInt) {
    self.init()
    let connections = max(1, configuration.connectionLimit)
    listening_socket = descriptor
    // A thread without connections would always be idle.
    threads = UInt32(clamping: min(max(1, configuration.threads), connections))
    connection_limit = UInt32(clamping: connections)
    // libmicrohttpd counts from the last send, and the kernel takes more only after it has sent half of its bytes.
    let timeouts = configuration.timeouts
    let drainSeconds = Int(ListeningSocket.unsentBytes) / max(1, timeouts.floorBytesPerSecond)
    idle_timeout_seconds = UInt32(clamping: max(1, timeouts.idleSeconds + drainSeconds))
    connection_memory_bytes = HeadSize.memoryBytes
  }
}

extension seedbank_mhd_hooks {
  fileprivate init(_ dispatcher: RequestDispatcher) {
    self.init(
      context: Unmanaged.passRetained(dispatcher).toOpaque(), accepts: acceptConnection,
      opened: openConnection, closed: closeConnection, began: beginRequest, received: receiveRequest,
      ended: endRequest, logged: logLine)
  }
}

extension UnsafeMutablePointer<seedbank_mhd_hooks> {
  fileprivate func release() {
    if let context = pointee.context { Unmanaged<RequestDispatcher>.fromOpaque(context).release() }
    deallocate()
  }
}

// File-scope functions, because a closure could inherit an actor and would trap on these threads.

private func dispatcher(_ context: UnsafeMutableRawPointer) -> RequestDispatcher {
  Unmanaged<RequestDispatcher>.fromOpaque(context).takeUnretainedValue()
}

private func acceptConnection(context: UnsafeMutableRawPointer?, address: UnsafePointer<sockaddr>?) -> CInt {
  guard let context else { return 0 }
  return dispatcher(context).connections.admits(IPAddress(address)) ? 1 : 0
}

private func openConnection(
  context: UnsafeMutableRawPointer?, descriptor: CInt, address: UnsafePointer<sockaddr>?
) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  let connection = ClientConnection(descriptor: descriptor, address: IPAddress(address))
  dispatcher(context).connections.add(connection)
  return Unmanaged.passRetained(CurrentRequest(on: connection)).toOpaque()
}

private func closeConnection(context: UnsafeMutableRawPointer?, connection: UnsafeMutableRawPointer?) {
  guard let context, let connection else { return }
  let client = Unmanaged<CurrentRequest>.fromOpaque(connection).takeRetainedValue().client
  client.discardInput()
  dispatcher(context).connections.remove(client)
}

private func current(_ connection: UnsafeMutableRawPointer) -> CurrentRequest {
  Unmanaged<CurrentRequest>.fromOpaque(connection).takeUnretainedValue()
}

// A request uses the context of its connection, which outlives the request.
private func beginRequest(
  context: UnsafeMutableRawPointer?, connection: UnsafeMutableRawPointer?, target: UnsafePointer<CChar>?
) -> UnsafeMutableRawPointer? {
  guard let context, let target, let connection else { return nil }
  dispatcher(context).begin(current(connection), headText(at: target))
  return connection
}

private func receiveRequest(
  context: UnsafeMutableRawPointer?, connection: OpaquePointer?, method: UnsafePointer<CChar>?,
  version: UnsafePointer<CChar>?, request: UnsafeMutableRawPointer?
) -> CInt {
  guard let context, let connection, let method, let version, let request else { return 0 }
  let stays = dispatcher(context).advance(
    current(request), on: connection, method: headText(at: method), version: headText(at: version))
  return stays ? 1 : 0
}

private func endRequest(context: UnsafeMutableRawPointer?, request: UnsafeMutableRawPointer?, completed: CInt)
{
  guard let context, let request else { return }
  dispatcher(context).end(current(request), isComplete: completed != 0)
}

private func logLine(context: UnsafeMutableRawPointer?, line: UnsafePointer<CChar>?) {
  guard let context, let line else { return }
  dispatcher(context).report(line)
}
