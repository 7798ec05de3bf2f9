extension String {
  /// Whether it matches a shell pattern: `*` matches any run of bytes, `?` any byte and `[…]` one of those listed. None of
  /// them matches a slash. A backslash is literal.
  package func matches(shellPattern pattern: String) -> Bool {
    // The C library would read up to a NUL.
    !utf8.contains(0) && !pattern.utf8.contains(0) && fnmatch(pattern, self, FNM_PATHNAME | FNM_NOESCAPE) == 0
  }
}
