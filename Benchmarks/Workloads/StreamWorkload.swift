import SeedFormat

/// Channels of a chat with nested members, messages, senders and attachments; each user appears twenty times. One
/// look-up per object would make 11,582 at scale 1.
struct StreamWorkload: Workload {
  let name: String
  let scale: Int
  var title: String { "Stream: nested chat payload, \(11_582 * scale) naive look-ups" }
  private static let channels = 100
  private static let membersEach = 15
  private static let messagesEach = 34
  private static let users = 245
  private static let attachments = 1_682
  var rowCount: Int { 11_582 * scale }

  let tables = [
    TableShape(name: "channels", columns: [.text("id"), .text("name"), .text("topic")]),
    TableShape(name: "users", columns: [.text("id"), .text("name"), .text("image")]),
    TableShape(
      name: "members", columns: [.text("channel"), .text("user"), .text("role")], keyCount: 2,
      references: ["channel": "channels", "user": "users"]),
    TableShape(
      name: "messages",
      columns: [.text("id"), .text("channel"), .text("sender"), .text("text"), .integer("sent")],
      index: "channel", references: ["channel": "channels", "sender": "users"]),
    TableShape(
      name: "attachments", columns: [.text("id"), .text("message"), .text("url"), .text("kind")],
      references: ["message": "messages"]),
  ]

  func generate(_ writer: DatasetWriter, _ phase: Phase) throws {
    var generator = DataGenerator(seed: 11_582)
    try writer.beginDocument("{")
    writer.beginList("\"channels\":[")
    for channel in 0..<(Self.channels * scale) { try self.channel(channel, writer, &generator) }
    try writer.endDocument("]}")
  }

  private func channel(_ number: Int, _ writer: DatasetWriter, _ generator: inout DataGenerator) throws {
    let values: [SeedValue] = [.text("c\(number)"), .text(generator.word()), .text(generator.text(3))]
    try writer.separate()
    writer.raw("{")
    writer.members(0, values)
    try writer.row(0, values)
    writer.beginList(",\"members\":[")
    for member in 0..<Self.membersEach { try self.member(member, of: number, writer) }
    writer.endList("]")
    writer.beginList(",\"messages\":[")
    for message in 0..<Self.messagesEach { try self.message(message, of: number, writer, &generator) }
    writer.endList("]")
    writer.raw("}")
  }

  private func user(_ number: Int) -> [SeedValue] {
    let number = number % (Self.users * scale)
    return [.text("u\(number)"), .text("User \(number)"), .text("https://example.org/images/\(number).png")]
  }

  private func member(_ number: Int, of channel: Int, _ writer: DatasetWriter) throws {
    let user = user(channel * Self.membersEach + number)
    let values: [SeedValue] = [.text("c\(channel)"), user[0], .text(number == 0 ? "owner" : "member")]
    try writer.separate()
    writer.raw("{\"user\":{")
    writer.members(1, user)
    writer.raw("},")
    writer.members(2, values, only: ["role"])
    writer.raw("}")
    try writer.row(1, user)
    try writer.row(2, values)
  }

  private func message(
    _ number: Int, of channel: Int, _ writer: DatasetWriter, _ generator: inout DataGenerator
  ) throws {
    let index = channel * Self.messagesEach + number
    let sender = user(index)
    let values: [SeedValue] = [
      .text("m\(index)"), .text("c\(channel)"), sender[0], .text(generator.text(8)),
      .integer(1_700_000_000 + Int64(index)),
    ]
    try writer.separate()
    writer.raw("{\"sender\":{")
    writer.members(1, sender)
    writer.raw("},")
    writer.members(3, values, only: ["id", "text", "sent"])
    try writer.row(1, sender)
    try writer.row(3, values)
    writer.beginList(",\"attachments\":[")
    if hasAttachment(index) { try attachment(index, writer) }
    writer.endList("]")
    writer.raw("}")
  }

  private func hasAttachment(_ index: Int) -> Bool {
    let messages = Self.channels * Self.messagesEach
    return (index + 1) * Self.attachments / messages > index * Self.attachments / messages
  }

  private func attachment(_ message: Int, _ writer: DatasetWriter) throws {
    let values: [SeedValue] = [
      .text("a\(message)"), .text("m\(message)"), .text("https://example.org/files/\(message)"),
      .text("image"),
    ]
    try writer.separate()
    writer.raw("{")
    writer.members(4, values, only: ["id", "url", "kind"])
    writer.raw("}")
    try writer.row(4, values)
  }
}
