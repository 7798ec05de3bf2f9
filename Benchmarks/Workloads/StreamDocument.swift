import SeedFormat

struct StreamDocument: Decodable {
  let channels: [Channel]

  struct Channel: Decodable {
    let id, name, topic: String
    let members: [Member]
    let messages: [Message]
  }

  struct User: Decodable {
    let id, name, image: String

    var values: [SeedValue] { [.text(id), .text(name), .text(image)] }
  }

  struct Member: Decodable {
    let user: User
    let role: String
  }

  struct Message: Decodable {
    let id: String
    let sender: User
    let text: String
    let sent: Int64
    let attachments: [Attachment]
  }

  struct Attachment: Decodable {
    let id, url, kind: String
  }
}

extension StreamDocument.Channel {
  func records(_ sink: RecordSink) throws {
    try sink(0, [.text(id), .text(name), .text(topic)])
    for member in members {
      try sink(1, member.user.values)
      try sink(2, [.text(id), .text(member.user.id), .text(member.role)])
    }
    for message in messages {
      try sink(1, message.sender.values)
      let sender = SeedValue.text(message.sender.id)
      try sink(3, [.text(message.id), .text(id), sender, .text(message.text), .integer(message.sent)])
      for file in message.attachments {
        try sink(4, [.text(file.id), .text(message.id), .text(file.url), .text(file.kind)])
      }
    }
  }
}

extension StreamDocument {
  private static let channel = "json_each(?1, '$.channels') AS c"
  private static let member = "\(channel), json_each(c.value, '$.members') AS m"
  private static let message = "\(channel), json_each(c.value, '$.messages') AS m"

  /// Tables from the outside in, with users from both places.
  static func statements(_ tables: [TableShape], _ policy: Policy) -> [String] {
    let user = { (place: String) in
      ["id", "name", "image"].map { "m.value->>'$.\(place).\($0)'" }.joined(separator: ", ")
    }
    let selections: [(Int, String, String)] = [
      (0, "c.value->>'id', c.value->>'name', c.value->>'topic'", channel),
      (1, user("user"), member),
      (1, user("sender"), message),
      (2, "c.value->>'id', m.value->>'$.user.id', m.value->>'role'", member),
      (
        3, "m.value->>'id', c.value->>'id', m.value->>'$.sender.id', m.value->>'text', m.value->>'sent'",
        message
      ),
      (
        4, "a.value->>'id', m.value->>'id', a.value->>'url', a.value->>'kind'",
        "\(message), json_each(m.value, '$.attachments') AS a"
      ),
    ]
    return selections.map { table, columns, list in
      "INSERT INTO \(tables[table].name)(\(tables[table].columnList)) SELECT \(columns) FROM \(list) WHERE true"
        + tables[table].onConflict(policy)
    }
  }
}
