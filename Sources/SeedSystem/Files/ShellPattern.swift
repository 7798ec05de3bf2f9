extension String {
  /// Whether it matches a pattern as a shell reads it: `*` is any run, `?` any byte and `[…]` one of several, a slash none
  /// of them. A backslash is itself.
  package func matches(shellPattern pattern: String) -> Bool {
    // The C library would read up to a NUL.
    !utf8.contains(0) && !pattern.utf8.contains(0) && fnmatch(pattern, self, FNM_PATHNAME | FNM_NOESCAPE) == 0
  }
}
