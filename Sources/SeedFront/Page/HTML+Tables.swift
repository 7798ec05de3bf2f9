// Tables, each in its own scroll area, so that a wide one does not scroll the page.
extension HTML {
  /// `id` must be unique on the page.
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

  /// For right-aligned numbers.
  static func numberHead(_ text: String) -> HTML { "<th scope=\"col\" class=\"number\">\(text)</th>" }

  /// `id` identifies the row when others are inserted before it.
  static func row(_ id: String? = nil, named name: HTML, _ cells: [HTML]) -> HTML {
    "<tr\(id.map { " id=\"\($0)\"" as HTML })><th scope=\"row\">\(name)</th>\(cells)</tr>\n"
  }

  static func cell(_ content: HTML?) -> HTML { "<td>\(content)</td>" }

  static func numberCell(_ content: HTML?) -> HTML { "<td class=\"number\">\(content)</td>" }

  /// A state as a word with a colour and shape.
  static func state(_ kind: String, _ word: String) -> HTML {
    "<span class=\"state \(kind)\">\(word)</span>"
  }
}
