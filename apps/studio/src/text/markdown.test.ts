import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type MarkdownNode, parseMarkdown } from "./markdown.ts";

/** The tree as short HTML, to be read in expectations. Text is escaped, so that it cannot be mistaken for an element. */
function show(node: MarkdownNode): string {
  if (typeof node === "string") return node.replaceAll("<", "&lt;");
  const { tag, attributes = {}, children } = node;
  const shown = Object.entries(attributes).filter(
    ([name]) => name === "href" || name === "start" || name.startsWith("data-"),
  );
  const inside = shown.map(([name, value]) => ` ${name}=${value}`).join("");
  return `<${tag}${inside}>${children.map(show).join("")}</${tag}>`;
}

const read = (text: string): string =>
  parseMarkdown(text)
    .map(({ node }) => show(node))
    .join("");

describe("Markdown on the page", () => {
  it.each([
    ["one\ntwo\n\nthree", "<p>one<br></br>two</p><p>three</p>"],
    ["# Title #\n## Less", "<h3>Title</h3><h4>Less</h4>"],
    ["#hashtag and # no title", "<p>#hashtag and # no title</p>"],
    ["**bold** and *soft* and ~~gone~~", "<p><strong>bold</strong> and <em>soft</em> and <del>gone</del></p>"],
    ["***both*** __bold__ _soft_", "<p><strong><em>both</em></strong> <strong>bold</strong> <em>soft</em></p>"],
    ["snake_case_name and 2 * 3 * 4 and ~5", "<p>snake_case_name and 2 * 3 * 4 and ~5</p>"],
    ["**open and *open", "<p>**open and *open</p>"],
    ["**a *b** c*", "<p><strong>a *b</strong> c*</p>"],
    ["`**code** <b>` and ``a ` b``", "<p><code>**code** &lt;b></code> and <code>a ` b</code></p>"],
    ["`open", "<p>`open</p>"],
    ["\\*plain\\* \\[x\\](y)", "<p>*plain* [x](y)</p>"],
    ["a\n\n---\nb", "<p>a</p><hr></hr><p>b</p>"],
    ["> quoted\n> > twice", "<blockquote><p>quoted</p><blockquote><p>twice</p></blockquote></blockquote>"],
  ])("reads %j", (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it.each([
    ["- a\n- b", "<ul><li>a</li><li>b</li></ul>"],
    ["text\n- a\n- b\ntext", "<p>text</p><ul><li>a</li><li>b<br></br>text</li></ul>"],
    ["* a\n  - b\n  - c\n* d", "<ul><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ul>"],
    ["1. a\n\n   more\n\n2. b", "<ol><li><p>a</p><p>more</p></li><li><p>b</p></li></ol>"],
    ["3) c\n4) d", "<ol start=3><li>c</li><li>d</li></ol>"],
    ["- [ ] open\n- [x] done", "<ul><li>☐ open</li><li>☑ done</li></ul>"],
    ["1. a\n- b", "<ol><li>a</li></ol><ul><li>b</li></ul>"],
    ["- a\n\n\ntext", "<ul><li>a</li></ul><p>text</p>"],
    ["1. a\n   ```js\n   x\n   ```\n2. b", "<ol><li>a<pre data-language=js><code>x</code></pre></li><li>b</li></ol>"],
  ])("reads the list %j", (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it.each([
    [
      "```ts\nconst a = `1`;\n\n# no title\n```\nafter",
      "<pre data-language=ts><code>const a = `1`;\n\n# no title</code></pre><p>after</p>",
    ],
    ["```\nstill open", "<pre><code>still open</code></pre>"],
    ["~~~~\n```\n~~~~", "<pre><code>```</code></pre>"],
    ["```inline``` code", "<p><code>inline</code> code</p>"],
  ])("reads the code %j", (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it("reads tables, also with cells that are missing", () => {
    expect(read("Here:\n| a | b |\n|---|--:|\n| 1 | **2** |\n| 3 |\n\nafter")).toBe(
      "<p>Here:</p><table><thead><tr><th data-align=start>a</th><th data-align=end>b</th></tr></thead>" +
        "<tbody><tr><td data-align=start>1</td><td data-align=end><strong>2</strong></td></tr>" +
        "<tr><td data-align=start>3</td><td data-align=end></td></tr></tbody></table><p>after</p>",
    );
  });

  it.each([
    ["[a **b**](https://x.example/y)", "<p><a href=https://x.example/y>a <strong>b</strong></a></p>"],
    ['[a](https://x.example/w_(z) "t") b', "<p><a href=https://x.example/w_(z)>a</a> b</p>"],
    ["![a picture](https://x.example/p.png)", "<p><a href=https://x.example/p.png>a picture</a></p>"],
    [
      "See https://x.example/a_b(c), or (http://y.example).",
      "<p>See <a href=https://x.example/a_b(c)>https://x.example/a_b(c)</a>, or (<a href=http://y.example>http://y.example</a>).</p>",
    ],
    ["[mail](mailto:ann@example.com)", "<p><a href=mailto:ann@example.com>mail</a></p>"],
    ["[a [b](https://x.example)](https://y.example)", "<p><a href=https://y.example>a <em>b</em></a></p>"],
  ])("reads the link %j", (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](data:text/html,x)",
    "[a](//evil.example)",
    "[a](file:///etc/passwd)",
    "[a](<javascript:alert(1)>)",
    "![a](javascript:alert(1))",
  ])("leaves %j text", (text) => {
    expect(read(text)).toBe(`<p>${text.replaceAll("<", "&lt;")}</p>`);
  });

  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(
        "*",
        "**",
        "_",
        "~~",
        "`",
        "```",
        "\n",
        "\n\n",
        "- ",
        "1. ",
        "> ",
        "# ",
        "|",
        "|-|",
        "[",
        "](",
        ")",
        "https://a.b",
        "\\",
        " ",
        "  ",
      ),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 60 },
  );

  it("draws the same when a text arrives in pieces, redrawing no more than the last two blocks", () => {
    fc.assert(
      fc.property(pieces, (parts) => {
        let text = "";
        let before = parseMarkdown("");
        for (const part of parts) {
          text += part;
          const now = parseMarkdown(text);
          const kept = Math.max(before.length - 2, 0);
          expect(now.slice(0, kept)).toEqual(before.slice(0, kept));
          for (const { start, source } of now) expect(text.slice(start, start + source.length)).toBe(source);
          before = now;
        }
      }),
    );
  });

  it("makes only elements and attributes it knows, whatever the text", () => {
    const known = new Set(
      "p h3 h4 h5 h6 pre code blockquote hr ul ol li table thead tbody tr th td strong em del a br".split(" "),
    );
    const check = (node: MarkdownNode): void => {
      if (typeof node === "string") return;
      expect(known).toContain(node.tag);
      for (const name of Object.keys(node.attributes ?? {}))
        expect(name).toMatch(/^(href|target|rel|start|data-(language|align))$/);
      if (node.tag === "a") expect(node.attributes?.href).toMatch(/^(https?:\/\/|mailto:)/i);
      node.children.forEach(check);
    };
    fc.assert(
      fc.property(pieces, (parts) => {
        for (const { node } of parseMarkdown(parts.join(""))) check(node);
      }),
    );
  });

  it.each([
    "*a ",
    "**",
    "_",
    "[",
    "](",
    "[a](",
    "`",
    "``a`",
    "> ",
    "- ",
    "~",
    "#",
    "|",
    "http://a)",
    "![",
    "\\",
    "  - a\n",
    "a|b\n-|-\n",
  ])("reads a hundred thousand characters of %j", (piece) => {
    const text = piece.repeat(Math.ceil(100_000 / piece.length));
    for (const long of [text, `${text}x`, `x${text}\``]) expect(parseMarkdown(long).length).toBeGreaterThan(0);
  });
});
