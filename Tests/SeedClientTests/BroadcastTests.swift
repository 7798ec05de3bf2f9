import Support
import Testing

@testable import SeedClient

@Suite struct BroadcastTests {
  @Test func `a slow listener keeps a limited backlog and gets the newest elements`() async {
    let sender = Broadcast<Int>(mostWaiting: 2)
    sender.send(0)
    var listener = sender.stream().makeAsyncIterator()
    for number in 1...5 { sender.send(number) }
    let heard = [await listener.next(), await listener.next()]
    #expect(heard == [4, 5])
  }
}
