import SeedSystem

public import struct Foundation.URL

extension SeedStore {
  /// Removes the store's files, and frees their space.
  ///
  /// The store then starts over at its next read or update, as after an installation: with the app's bundle or a
  /// download. A running ``keepUpdated(_:onFailure:)`` downloads the data again, so cancel its task first, or
  /// ``close()`` the store afterwards. Updates and reads under way end as by ``suspend()``; later ones and live queries
  /// wait. Before, close or detach the app's own connections to the data, which otherwise keep its space.
  ///
  /// Fails with ``SeedError/Code/storeLocked`` if another store updates the directory.
  ///
  /// - Returns: Data files that stay because another store or process reads them; the next update after its end removes
  ///   them.
  @discardableResult
  public func remove() async throws -> [URL] {
    guard fetcher != nil else { throw SeedError.readOnly(layout.directory) }
    try access.check()
    await halt(as: .removing)
    defer { updateLock.release() }
    // A suspension that came later stays.
    guard access == .removing else { throw access == .closed ? SeedError.closed : .suspended }
    await letGo()
    do {
      let kept = try await writer.remove().map(\.file)
      await forget()
      log.info(
        "removed the data in \(layout.directory)\(kept.isEmpty ? "" : ", except \(kept), which is read")")
      await startUnlessSuspended()
      return kept.map { URL(fileURLWithPath: $0) }
    } catch {
      await startUnlessSuspended()
      throw SeedError(error)
    }
  }

  private func startUnlessSuspended() async { if access == .removing { await start() } }

  /// Bytes of the files in the store's directory: data, the previous data, logs, unfinished downloads and metadata.
  public nonisolated func diskUsage() async throws -> Int {
    do {
      return try await blocking { [layout] in try layout.paths.reduce(0) { $0 + (try Folder.bytes(of: $1)) } }
    } catch { throw SeedError(error) }
  }
}
