// Python in colours: the classes that the book's own listings use.

const KEYWORDS = "as assert async await break class continue def del elif else except "
  + "finally for global if lambda nonlocal pass raise return try while with yield";
const KINDS = new Map([
  ...KEYWORDS.split(" ").map((word) => [word, "k"]),
  ...["from", "import"].map((word) => [word, "kn"]),
  ...["True", "False", "None"].map((word) => [word, "kc"]),
  ...["and", "in", "is", "not", "or"].map((word) => [word, "ow"]),
]);

const COMMENT = /#[^\n]*/;
const TEXT = new RegExp("[rbfuRBFU]{0,2}(?:"
  + [/"""[^]*?(?:"""|$)/, /'''[^]*?(?:'''|$)/, /"(?:\\.|[^"\\\n])*"?/, /'(?:\\.|[^'\\\n])*'?/]
    .map((part) => part.source).join("|") + ")");
const NUMBER = /(?<![\w.])(?:0[xob][\da-fA-F_]+|\d[\d_]*\.?[\d_]*(?:[eE][+-]?\d+)?|\.\d+)/;
const NAME = /[^\W\d]\w*/;
const OPERATOR = /[-+*/%@=<>!&|^~]+/;
const PARTS = [COMMENT, TEXT, NUMBER, NAME, OPERATOR];
const TOKEN = new RegExp(PARTS.map((part) => `(${part.source})`).join("|"), "g");

const escaped = (text) => text
  .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

// "x = 1" -> 'x <span class="o">=</span> <span class="mi">1</span>'
export function highlight(code) {
  let html = "";
  let done = 0;
  for (const token of code.matchAll(TOKEN)) {
    const [text, comment, string, number, name] = token;
    const kind = comment ? "c1" : string ? "s2" : number ? "mi"
      : name ? KINDS.get(name) : "o";
    html += escaped(code.slice(done, token.index));
    html += kind ? `<span class="${kind}">${escaped(text)}</span>` : escaped(text);
    done = token.index + text.length;
  }
  return html + escaped(code.slice(done));
}
