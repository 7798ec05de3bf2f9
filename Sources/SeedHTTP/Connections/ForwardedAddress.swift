/// Who sent a request, by what the proxies in front say of it.
///
/// Each proxy appends the address that it was asked from to `X-Forwarded-For`. Only the entries that trusted
/// proxies appended count: from the end on, up to the first one that is not a trusted proxy's own address.
/// Whatever stands before that was written by the client itself.
enum ForwardedAddress {
  /// The address of the request's sender; `peer` where that is no trusted proxy, or said nothing usable.
  static func of(
    _ fields: [String], from peer: String, trusts: (IPAddress) -> Bool
  ) -> String {
    var sender = peer
    for entry in fields.flatMap({ $0.split(separator: ",") }).reversed() {
      guard let address = IPAddress(sender), trusts(address) else { return sender }
      let text = String(entry.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" })
      guard IPAddress(text) != nil else { return sender }
      sender = text
    }
    return sender
  }
}
