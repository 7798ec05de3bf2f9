import SeedFormat
import Support

final class BrowserPage {
  private let browser: Browser
  private let context: String
  private let session: String

  /// - Parameter runsScripts: whether the page's own scripts run; ``evaluate(_:)`` always works.
  init(_ address: String, width: Int = 1280, isDark: Bool = false, runsScripts: Bool = true) throws {
    browser = try Browser.shared.get()
    context =
      try browser.call("Target.createBrowserContext", ["disposeOnDetach": true])["browserContextId"]?.string
      ?? ""
    let target = try browser.call(
      "Target.createTarget", ["url": "about:blank", "browserContextId": .string(context)])
    session =
      try browser.call(
        "Target.attachToTarget", ["targetId": target["targetId"] ?? .null, "flatten": true])["sessionId"]?
      .string ?? ""
    for domain in ["Page", "Runtime", "Log", "Network"] { try call("\(domain).enable", [:]) }
    // Gives each of several pages the focus.
    try call("Emulation.setFocusEmulationEnabled", ["enabled": true])
    try call("Emulation.setScriptExecutionDisabled", ["value": .bool(!runsScripts)])
    try show(width: width, isDark: isDark)
    try call("Page.navigate", ["url": .string(address)])
    try waitUntil("the page is loaded", every: 0.02) {
      try evaluate("location.href !== 'about:blank' && document.readyState === 'complete'") == true
    }
  }

  deinit { _ = try? browser.call("Target.disposeBrowserContext", ["browserContextId": .string(context)]) }

  @discardableResult func call(_ method: String, _ parameters: JSONValue) throws -> JSONValue {
    try browser.call(method, parameters, in: session)
  }

  func show(width: Int, isDark: Bool = false) throws {
    try call(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": JSONValue(width), "height": 900, "deviceScaleFactor": 1,
        "mobile": .bool(width < 500),
      ])
    let scheme: JSONValue = ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]
    try call("Emulation.setEmulatedMedia", ["features": .array([scheme])])
  }

  /// Returns the value of a JavaScript expression, after awaiting it if it is a promise.
  @discardableResult func evaluate(_ expression: String) throws -> JSONValue {
    let answer = try call(
      "Runtime.evaluate",
      ["expression": .string(expression), "returnByValue": true, "awaitPromise": true, "userGesture": true])
    if let thrown = answer["exceptionDetails"] {
      throw Browser.Failure(method: expression, detail: thrown.text)
    }
    return answer["result"]?["value"] ?? .null
  }

  func text(_ selector: String) throws -> String? {
    try evaluate("document.querySelector(\(JSONValue.string(selector).text))?.innerText").string
  }

  func wait(_ what: String, _ expression: String) throws {
    try eventually(what) { try evaluate("Boolean(\(expression))") == true ? true : nil }
  }

  func press(_ key: String) throws {
    let codes = ["Tab": 9, "Enter": 13, " ": 32]
    for type in key == "Enter" ? ["keyDown", "char", "keyUp"] : ["keyDown", "keyUp"] {
      var members: [JSONMember] = .init(
        ("type", .string(type)), ("key", .string(key)), ("code", .string(key == " " ? "Space" : key)),
        ("windowsVirtualKeyCode", JSONValue(codes[key] ?? 0)))
      if key == "Enter" { members.append(JSONMember("text", "\r")) }
      try call("Input.dispatchKeyEvent", .object(members))
    }
  }

  /// Script errors, violations of the security policy, and failed requests.
  var complaints: [String] {
    let thrown = browser.events("Runtime.exceptionThrown", in: session).map(\.text)
    let said = browser.events("Runtime.consoleAPICalled", in: session).map(\.text)
    let logged = browser.events("Log.entryAdded", in: session).filter {
      ["error", "warning"].contains($0["entry"]?["level"]?.string)
    }.map(\.text)
    return thrown + said + logged
  }
}
