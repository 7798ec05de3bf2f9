import Departures
import SeedClient
import SeedClientTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct BoardTests {
  let seeds: TestPublisher

  init() throws {
    seeds = try TestPublisher(
      schema: """
        CREATE TABLE departure(
          id INTEGER PRIMARY KEY, stop TEXT NOT NULL, time TEXT, line TEXT, destination TEXT, platform INTEGER)
        """, model: .departures)
    try depart(1, "10:15", "S5", platform: 3)
  }

  private func depart(_ id: Int, _ time: String?, _ line: String, platform: Int? = nil) throws {
    let row: [String: any SeedValueConvertible] = [
      "id": id, "stop": "Alex", "time": time, "line": line, "destination": "Spandau", "platform": platform,
    ]
    try seeds.publish { $0.put(row, in: "departure") }
  }

  /// The lists that a board shows, in order.
  private func shows(of board: Board) -> AsyncStream<[String]> {
    let (shows, show) = AsyncStream.makeStream(of: [String].self)
    let task = Task { await board.follow { show.yield($0) } }
    show.onTermination = { _ in task.cancel() }
    return shows
  }

  @Test func `the board shows departures and updates`() async throws {
    let board = Board(try seeds.store(), stop: "Alex")
    await board.refresh()
    var shows = shows(of: board).makeAsyncIterator()
    #expect(await shows.next() == ["10:15 S5 Spandau, platform 3"])
    try depart(2, "10:05", "S3")
    await board.refresh()
    #expect(await shows.next() == ["10:05 S3 Spandau", "10:15 S5 Spandau, platform 3"])
  }

  @Test func `the first start without a network shows the bundled data with a notice`() async throws {
    let bundle = try await seeds.makeBundle()
    seeds.failure = .offline
    let board = Board(try seeds.store(bundle: bundle), stop: "Alex")
    await board.refresh()
    var shows = shows(of: board).makeAsyncIterator()
    #expect(await shows.next()?.count == 1)
    #expect(await board.notice == "Perhaps not the newest departures.")
  }

  @Test func `an outdated app asks for an update`() async throws {
    let board = Board(try seeds.store(), stop: "Alex")
    try seeds.dropModel()
    await board.refresh()
    #expect(await board.notice == "Please update this app.")
  }

  @Test func `an invalid departure is reported, not hidden`() async throws {
    try depart(3, nil, "S7")
    let board = Board(try seeds.store(), stop: "Alex")
    await board.refresh()
    await board.follow { _ in }
    #expect(await board.notice?.contains("column \"time\" of row 1 is NULL") == true)
  }
}
