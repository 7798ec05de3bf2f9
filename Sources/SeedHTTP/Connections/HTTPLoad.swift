/// What a server has to do at the moment, for as long as anybody wants to know.
///
/// It holds nothing of the server itself: were a handler's the last reference to that, the server would end on a
/// thread of its own, for which it waits.
package struct HTTPLoad: Sendable {
  let table: ConnectionTable

  /// Open connections.
  package var connections: Int { table.count }

  /// Requests that wait for an answer, or for the rest of one.
  package var answering: Int { table.answeringCount }
}
