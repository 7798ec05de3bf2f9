import Support
import Testing

@testable import SeedHTTP

@Suite struct ForwardedAddressTests {
  private func sender(_ fields: String..., from peer: String, trusting networks: [String]) -> String? {
    let networks = networks.compactMap { IPNetwork($0) }
    return senderAddress(fields, from: IPAddress(peer)) { address in
      networks.contains { $0.contains(address) }
    }?.literal
  }

  @Test func `X-Forwarded-For is accepted only from a trusted proxy`() {
    #expect(sender("1.2.3.4", from: "9.9.9.9", trusting: ["127.0.0.1"]) == "9.9.9.9")
    #expect(sender("1.2.3.4", from: "127.0.0.1", trusting: ["127.0.0.1"]) == "1.2.3.4")
    #expect(sender(from: "127.0.0.1", trusting: ["127.0.0.1"]) == "127.0.0.1")
    #expect(sender("2001:db8::1", from: "::1", trusting: ["::1"]) == "2001:db8::1")
  }

  @Test func `addresses before the last untrusted one are ignored because the client wrote them`() {
    let trusted = ["127.0.0.1", "10.0.0.0/8"]
    #expect(sender("6.6.6.6, 1.2.3.4, 10.0.0.7", from: "127.0.0.1", trusting: trusted) == "1.2.3.4")
    #expect(sender("6.6.6.6", "1.2.3.4", "10.0.0.7", from: "127.0.0.1", trusting: trusted) == "1.2.3.4")
    #expect(sender("10.0.0.1, 10.0.0.2", from: "10.0.0.3", trusting: trusted) == "10.0.0.1")
  }

  @Test func `an invalid address ends the search`() {
    for nonsense in ["unknown", "", "1.2.3.4:80", "\"1.2.3.4\"", "1.2.3", "a b", ","] {
      #expect(sender("1.1.1.1, \(nonsense)", from: "127.0.0.1", trusting: ["127.0.0.1"]) == "127.0.0.1")
    }
    #expect(sender("1.1.1.1, unknown, 10.0.0.7", from: "10.0.0.3", trusting: ["10.0.0.0/8"]) == "10.0.0.7")
  }
}
