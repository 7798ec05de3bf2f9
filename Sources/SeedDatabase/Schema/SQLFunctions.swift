/// The functions that scripts call, as far as their text shows: words before a parenthesis, in upper case.
package enum SQLFunctions {
  /// What may answer otherwise tomorrow though no row changed.
  private static let restless: Set<String> = [
    "DATE", "TIME", "DATETIME", "JULIANDAY", "UNIXEPOCH", "STRFTIME", "TIMEDIFF", "RANDOM", "RANDOMBLOB",
  ]
  private static let restlessWords: Set<String> = ["CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"]

  /// Whether the script's rows may depend on the time or on chance.
  package static func areRestless(in sql: String) -> Bool {
    !calls(in: sql).isDisjoint(with: restless)
      || SQLTokens(sql).tokens.contains(where: restlessWords.contains)
  }

  /// The functions that a script calls.
  package static func calls(in sql: String) -> Set<String> {
    let tokens = SQLTokens(sql).tokens
    return Set(zip(tokens, tokens.dropFirst()).filter { $0.1 == "(" }.map(\.0))
  }
}
