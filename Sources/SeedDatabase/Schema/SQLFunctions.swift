/// The functions that a script calls, as far as its text shows: words before a parenthesis, in upper case.
package enum SQLFunctions {
  package static func calls(in sql: String) -> Set<String> {
    let tokens = SQLTokens(sql).tokens
    return Set(zip(tokens, tokens.dropFirst()).filter { $0.1 == "(" }.map(\.0))
  }
}
