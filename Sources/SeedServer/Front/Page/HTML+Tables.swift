// Tables, each within a scroll of its own, so that a wide one never moves the page.
extension HTML {
  /// A table whose element has that id, which is unique on the page.
  static func table(_ id: String, _ caption: HTML, _ heads: [HTML], _ rows: [HTML]) -> HTML {
    """
    <div class="scroll" tabindex="0" role="region" aria-labelledby="\(id):caption">
    <table id="\(id)"><caption id="\(id):caption">\(caption)</caption>
    <thead><tr>\(heads)</tr></thead>
    <tbody>
    \(rows)</tbody></table></div>

    """
  }

  static func head(_ text: String) -> HTML { "<th scope=\"col\">\(text)</th>" }

  /// Over numbers, which stand at the right.
  static func numberHead(_ text: String) -> HTML { "<th scope=\"col\" class=\"number\">\(text)</th>" }

  /// A row; by its id it is found again when others come before it.
  static func row(_ id: String? = nil, named name: HTML, _ cells: [HTML]) -> HTML {
    "<tr\(id.map { " id=\"\($0)\"" as HTML })><th scope=\"row\">\(name)</th>\(cells)</tr>\n"
  }

  static func cell(_ content: HTML?) -> HTML { "<td>\(content)</td>" }

  static func numberCell(_ content: HTML?) -> HTML { "<td class=\"number\">\(content)</td>" }

  /// A state in a word, with its colour and shape.
  static func state(_ kind: String, _ word: String) -> HTML {
    "<span class=\"state \(kind)\">\(word)</span>"
  }
}
