import Dispatch
import SeedHTTP
import Support
import Testing

extension SocketTests {
  @Suite struct SelfProbe {
    @Test(arguments: ["127.0.0.1", "0.0.0.0", "::", "::1"])
    func `a server that answers is alive, wherever it listens`(host: String) throws {
      let server = try startServer { $0.host = host }
      #expect(server.isAlive(within: 10))
      server.stop()
      #expect(!server.isAlive(within: 10))
    }

    @Test func `a server whose threads all hang is not, until they come back`() throws {
      let released = DispatchSemaphore(value: 0)
      var configuration = HTTPServerConfiguration()
      configuration.threads = 1
      let server = try HTTPServer(configuration: configuration) { _ in
        released.wait()
        return HTTPResponse(status: 200)
      }
      let stuck = try RawClient(port: server.port)
      stuck.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(!server.isAlive(within: 1))
      for _ in 0..<3 { released.signal() }
      #expect(try stuck.response().status == 200)
      #expect(server.isAlive(within: 10))
    }

    @Test func `too many connections, from this machine or from all, are no fault of the server`() throws {
      let narrow = try startServer { $0.perAddressLimit = 1 }
      let only = try RawClient(port: narrow.port)
      #expect(try only.get("/").status == 200)
      #expect(narrow.isAlive(within: 10))
      let full = try startServer {
        $0.threads = 1
        $0.connectionLimit = 1
      }
      let last = try RawClient(port: full.port)
      #expect(try last.get("/").status == 200)
      #expect(full.isAlive(within: 1))
    }
  }
}
