import Support
import Testing

@testable import SeedClient

@Suite struct BroadcastTests {
  @Test func `who takes nothing makes no more wait than was set, and then hears the newest`() async {
    let sender = Broadcast<Int>(mostWaiting: 2)
    sender.send(0)
    var listener = sender.stream().makeAsyncIterator()
    for number in 1...5 { sender.send(number) }
    let heard = [await listener.next(), await listener.next()]
    #expect(heard == [4, 5])
  }
}
