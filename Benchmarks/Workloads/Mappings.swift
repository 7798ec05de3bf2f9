import SeedFormat
import SeedImport

// Mappings of the documents for our importer.
extension Workload {
  /// One list per table, with the table's name.
  var mapping: ImportMapping {
    ImportMapping(lists: tables.map { .init(TableMapping($0.name), rows: MemberPath(names: [$0.name])) })
  }

  var importPolicy: ImportPolicy {
    ImportPolicy(onConflict: ImportPolicy.Conflict(rawValue: policy.rawValue) ?? .overwrite)
  }
}

extension PeopleWorkload {
  var mapping: ImportMapping { mapping(.merge) }

  func mapping(_ mode: RelationMapping.Mode) -> ImportMapping {
    ImportMapping(
      TableMapping("persons", relations: [.array("phones", "phones", parentKey: ["person"], mode: mode)]))
  }
}

extension PagesWorkload {
  var mapping: ImportMapping { ImportMapping("articles") }
}

extension FirebaseWorkload {
  var mapping: ImportMapping { ImportMapping("tasks", layout: .dictionary(keyColumn: "id")) }
}

extension StreamWorkload {
  var mapping: ImportMapping {
    let members = TableMapping("members", relations: [.object("user", "users", foreignKey: ["user"])])
    let messages = TableMapping(
      "messages",
      relations: [
        .object("sender", "users", foreignKey: ["sender"]),
        .array("attachments", "attachments", parentKey: ["message"]),
      ])
    let channels = TableMapping(
      "channels",
      relations: [
        .array("members", members, parentKey: ["channel"]),
        .array("messages", messages, parentKey: ["channel"]),
      ])
    return ImportMapping(channels, rows: "$.channels")
  }
}
