/**
 * The subset of Markdown that models write, read into a tree of known elements. HTML stays text, links lead only to web and mail
 * addresses, and every scan is bounded: text from a model is text from outside.
 */
export type MarkdownNode = string | MarkdownElement;

export interface MarkdownElement {
  readonly tag: Tag;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly children: readonly MarkdownNode[];
}

type Tag =
  | "p"
  | "h3"
  | "h4"
  | "h5"
  | "h6"
  | "pre"
  | "code"
  | "blockquote"
  | "hr"
  | "ul"
  | "ol"
  | "li"
  | "table"
  | "thead"
  | "tbody"
  | "tr"
  | "th"
  | "td"
  | "strong"
  | "em"
  | "del"
  | "a"
  | "br";

/** A block, and where it begins in the text. */
export interface MarkdownBlock {
  readonly start: number;
  readonly source: string;
  readonly node: MarkdownElement;
}

/** Nesting beyond this stays text. */
const MAX_DEPTH = 12;

/** The blocks of a text, in order. Appending to the text changes at most the last two of them. */
export function parseMarkdown(text: string): readonly MarkdownBlock[] {
  return parseBlocks(text.split("\n"), 0);
}

function parseBlocks(lines: readonly string[], depth: number): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let start = 0;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    if (line.trim() === "") {
      start += line.length + 1;
      at += 1;
      continue;
    }
    const read =
      readFence(lines, at) ??
      readHeading(line) ??
      readRule(line) ??
      (depth < MAX_DEPTH ? (readQuote(lines, at, depth) ?? readList(lines, at, depth)) : undefined) ??
      readTable(lines, at) ??
      readParagraph(lines, at, depth);
    const source = lines.slice(at, at + read.length).join("\n");
    blocks.push({ start, source, node: read.node });
    start += source.length + 1;
    at += read.length;
  }
  return blocks;
}

/** A block, and how many lines it has. */
interface ReadBlock {
  readonly length: number;
  readonly node: MarkdownElement;
}

const nodesOf = (lines: readonly string[], depth: number) => parseBlocks(lines, depth).map(({ node }) => node);

/** Code between fences. One that is still open reaches to the end. */
function readFence(lines: readonly string[], at: number): ReadBlock | undefined {
  const [head = "", indent = "", mark = ""] = /^( {0,3})(`{3}|~{3})/.exec(lines[at] ?? "") ?? [];
  if (head === "") return undefined;
  const opening = (lines[at] ?? "").slice(indent.length);
  const width = runLength(opening, 0);
  const word = opening.slice(width).trim();
  // Three backticks and more on one line are a piece of code in a paragraph.
  if (word.includes("`")) return undefined;
  const isEnd = (line: string) => {
    const trimmed = line.trim();
    return trimmed.length >= width && trimmed === mark.charAt(0).repeat(trimmed.length);
  };
  let end = at + 1;
  while (end < lines.length && !isEnd(lines[end] ?? "")) end += 1;
  const code = lines.slice(at + 1, end).map((line) => dropIndent(line, indent.length));
  const [language = ""] = word.split(/\s/);
  const attributes = language === "" ? {} : { "data-language": language };
  return {
    length: Math.min(end + 1, lines.length) - at,
    node: { tag: "pre", attributes, children: [{ tag: "code", children: [code.join("\n")] }] },
  };
}

/** A chat is below the page's own headings. */
const HEADINGS: readonly Tag[] = ["h3", "h4", "h5", "h6", "h6", "h6"];

function readHeading(line: string): ReadBlock | undefined {
  const [mark, level = ""] = /^ {0,3}(#{1,6})(?=\s|$)/.exec(line) ?? [];
  if (mark === undefined) return undefined;
  const title = line.slice(mark.length).trim();
  let end = title.length;
  while (title[end - 1] === "#") end -= 1;
  const isClosed = end === 0 || /\s/.test(title[end - 1] ?? "");
  const children = parseInline(isClosed ? title.slice(0, end).trimEnd() : title);
  return { length: 1, node: { tag: HEADINGS[level.length - 1] ?? "h6", children } };
}

function readRule(line: string): ReadBlock | undefined {
  const marks = line.replaceAll(/\s/g, "");
  const isRule = marks.length >= 3 && "*-_".includes(marks.charAt(0)) && marks === marks.charAt(0).repeat(marks.length);
  return isRule ? { length: 1, node: { tag: "hr", children: [] } } : undefined;
}

const QUOTE = /^ {0,3}> ?/;

function readQuote(lines: readonly string[], at: number, depth: number): ReadBlock | undefined {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end] ?? "")) end += 1;
  if (end === at) return undefined;
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  return { length: end - at, node: { tag: "blockquote", children: nodesOf(inner, depth + 1) } };
}

const BULLET = /^(\s{0,12})([-*+]|\d{1,9}[.)])(\s+|$)/;

/** A list with everything that is indented below its items. A blank line between items leaves it one list. */
function readList(lines: readonly string[], at: number, depth: number): ReadBlock | undefined {
  const first = BULLET.exec(lines[at] ?? "");
  if (first === null) return undefined;
  const [, { length: indent } = "", mark = ""] = first;
  const isOrdered = /\d/.test(mark);
  const items: string[][] = [];
  let end = at;
  let isLoose = false;
  for (let line = at; line < lines.length; line++) {
    const text = lines[line] ?? "";
    const bullet = BULLET.exec(text);
    const isItem =
      bullet !== null &&
      (bullet[1] ?? "").length <= indent + 1 &&
      /\d/.test(bullet[2] ?? "") === isOrdered &&
      readRule(text) === undefined;
    if (isItem) {
      if (items.length > 0 && line > end) isLoose = true;
      items.push([text.slice(bullet[0].length)]);
      end = line + 1;
    } else if (text.trim() === "") {
      items.at(-1)?.push("");
    } else if (indentOf(text) > indent + 1 || (line === end && !beginsBlock(text))) {
      // Indented text belongs to the item, and so does a line that goes on with its paragraph.
      if (line > end) isLoose = true;
      items.at(-1)?.push(dropIndent(text, Math.max(indent + mark.length + 1, 2)));
      end = line + 1;
    } else break;
  }
  const children = items.map((item) => toItem(item, isLoose, depth));
  const attributes = isOrdered && mark.slice(0, -1) !== "1" ? { start: String(Number.parseInt(mark, 10)) } : {};
  return { length: end - at, node: { tag: isOrdered ? "ol" : "ul", attributes, children } };
}

/** An item. In a list without blank lines its text stands without a paragraph of its own. */
function toItem(lines: readonly string[], isLoose: boolean, depth: number): MarkdownElement {
  const [first = "", ...rest] = lines;
  const [box] = /^\[[ xX]\] /.exec(first) ?? [];
  const text = box === undefined ? first : `${box === "[ ] " ? "☐" : "☑"} ${first.slice(box.length)}`;
  const nodes = nodesOf([text, ...rest], depth + 1);
  const children = isLoose ? nodes : nodes.flatMap((node) => (node.tag === "p" ? node.children : [node]));
  return { tag: "li", children };
}

const DELIMITER_CELL = /^:?-+:?$/;

function readTable(lines: readonly string[], at: number): ReadBlock | undefined {
  const [header = "", delimiters = ""] = [lines[at], lines[at + 1]];
  if (!header.includes("|") || !delimiters.includes("-")) return undefined;
  const [titles, marks] = [cellsOf(header), cellsOf(delimiters)];
  if (marks.length !== titles.length || !marks.every((mark) => DELIMITER_CELL.test(mark))) return undefined;
  let end = at + 2;
  while (end < lines.length && (lines[end] ?? "").includes("|")) end += 1;
  const align = marks.map((mark) => (mark.endsWith(":") ? (mark.startsWith(":") ? "center" : "end") : "start"));
  const toRow = (cells: readonly string[], tag: "th" | "td"): MarkdownElement => ({
    tag: "tr" as const,
    children: titles.map((_, index) => ({
      tag,
      attributes: { "data-align": align[index] ?? "start" },
      children: parseInline(cells[index] ?? ""),
    })),
  });
  const body = lines.slice(at + 2, end).map((line) => toRow(cellsOf(line), "td"));
  return {
    length: end - at,
    node: {
      tag: "table",
      children: [
        { tag: "thead", children: [toRow(titles, "th")] },
        { tag: "tbody", children: body },
      ],
    },
  };
}

function cellsOf(line: string) {
  const trimmed = line.trim();
  const inner = trimmed.slice(
    trimmed.startsWith("|") ? 1 : 0,
    trimmed.length > 1 && trimmed.endsWith("|") ? -1 : undefined,
  );
  return inner.split("|").map((cell) => cell.trim());
}

/** Everything else, up to a blank line or the next block. */
function readParagraph(lines: readonly string[], at: number, depth: number): ReadBlock {
  let end = at + 1;
  while (end < lines.length && (lines[end] ?? "").trim() !== "" && !beginsBlock(lines[end] ?? "", depth)) {
    if (readTable(lines, end) !== undefined) break;
    end += 1;
  }
  const text = lines.slice(at, end).map((line) => line.trim());
  return { length: end - at, node: { tag: "p", children: parseInline(text.join("\n")) } };
}

/** Whether a line ends the paragraph before it. */
function beginsBlock(line: string, depth: number = 0) {
  if (readHeading(line) !== undefined || readRule(line) !== undefined || readFence([line], 0) !== undefined)
    return true;
  return depth < MAX_DEPTH && (QUOTE.test(line) || BULLET.test(line));
}

function indentOf(line: string) {
  return line.length - line.trimStart().length;
}

function dropIndent(line: string, width: number) {
  return line.slice(Math.min(indentOf(line), width));
}

/** An emphasis that is open: what it holds so far, and the mark it began with. */
interface Frame {
  readonly mark: string;
  readonly children: MarkdownNode[];
}

const EMPHASIS: Readonly<Record<string, Tag>> = { "*": "em", _: "em", "**": "strong", __: "strong", "~~": "del" };

/** The inside of a block. */
function parseInline(text: string, depth: number = 0): readonly MarkdownNode[] {
  const closings = matchBrackets(text);
  /** lengths of backtick runs that have no second one further on */
  const unclosed: Set<number> = new Set();
  const root: MarkdownNode[] = [];
  const frames: Frame[] = [];
  const out = () => frames.at(-1)?.children ?? root;
  const add = (node: MarkdownNode) => {
    const list = out();
    const last = list.at(-1);
    if (typeof node === "string" && typeof last === "string") list[list.length - 1] = last + node;
    else if (node !== "") list.push(node);
  };
  /** An emphasis that was never closed is text again. */
  const giveUp = () => {
    const frame = frames.pop();
    for (const node of frame === undefined ? [] : [frame.mark, ...frame.children]) add(node);
  };
  for (let at = 0; at < text.length; ) {
    const special =
      readEscape(text, at) ??
      readCode(text, at, unclosed) ??
      readLink(text, at, closings, depth) ??
      readAddress(text, at) ??
      (text[at] === "\n" ? { length: 1, node: { tag: "br" as const, children: [] } } : undefined);
    if (special !== undefined) {
      add(special.node);
      at += special.length;
      continue;
    }
    const run = delimiterRun(text, at);
    if (run === undefined) {
      add(text[at] ?? "");
      at += 1;
      continue;
    }
    at += run.length;
    for (let left = run.length; left > 0; ) {
      const mark: string = run.mark;
      const opener = run.canClose ? findOpener(frames, mark, left) : -1;
      const opened = left >= 2 ? mark + mark : mark;
      if (opener >= 0) {
        while (frames.length > opener + 1) giveUp();
        const frame = frames.pop() ?? { mark, children: [] };
        left -= frame.mark.length;
        add({ tag: EMPHASIS[frame.mark] ?? "em", children: frame.children });
      } else if (run.canOpen && frames.length < MAX_DEPTH && EMPHASIS[opened] !== undefined) {
        frames.push({ mark: opened, children: [] });
        left -= opened.length;
      } else {
        add(mark.repeat(left));
        left = 0;
      }
    }
  }
  while (frames.length > 0) giveUp();
  return root;
}

/** The open emphasis that a run of marks ends: the nearest of its length, or else the nearest that is shorter. */
function findOpener(frames: readonly Frame[], mark: string, length: number) {
  const exact = frames.findLastIndex((frame) => frame.mark === mark.repeat(length));
  return exact >= 0 ? exact : frames.findLastIndex((frame) => frame.mark[0] === mark && frame.mark.length <= length);
}

interface ReadInline {
  readonly length: number;
  readonly node: MarkdownNode;
}

function readEscape(text: string, at: number): ReadInline | undefined {
  const next = text[at + 1] ?? "";
  return text[at] === "\\" && next !== "" && "\\`*_{}[]()#+-.!~|<>".includes(next)
    ? { length: 2, node: next }
    : undefined;
}

function readCode(text: string, at: number, unclosed: Set<number>): ReadInline | undefined {
  if (text[at] !== "`") return undefined;
  const width = runLength(text, at);
  if (unclosed.has(width)) return { length: width, node: "`".repeat(width) };
  for (let end = text.indexOf("`", at + width); end >= 0; ) {
    const found = runLength(text, end);
    if (found === width) {
      const code = text.slice(at + width, end).replaceAll("\n", " ");
      const isPadded = code.length > 2 && code.startsWith(" ") && code.endsWith(" ");
      return { length: end + width - at, node: { tag: "code", children: [isPadded ? code.slice(1, -1) : code] } };
    }
    end = text.indexOf("`", end + found);
  }
  unclosed.add(width);
  return { length: width, node: "`".repeat(width) };
}

/** No address is longer. */
const MAX_ADDRESS = 2048;

/** A link, or a picture as a link: the page loads nothing from elsewhere. */
function readLink(
  text: string,
  at: number,
  closings: ReadonlyMap<number, number>,
  depth: number,
): ReadInline | undefined {
  const open = text[at] === "!" && text[at + 1] === "[" ? at + 1 : at;
  const close = text[open] === "[" ? closings.get(open) : undefined;
  if (close === undefined || text[close + 1] !== "(" || depth >= MAX_DEPTH) return undefined;
  const [whole, angled, plain] =
    /^\((?:<([^<>\n]*)>|((?:[^\s()]|\([^\s()]*\))*))(?:\s+"[^"\n]*")?\)/.exec(
      text.slice(close + 1, close + MAX_ADDRESS),
    ) ?? [];
  const address = safeAddress(angled ?? plain ?? "");
  if (whole === undefined || address === undefined) return undefined;
  const inside = text.slice(open + 1, close);
  const children = inside === "" ? [address] : parseInline(inside, depth + 1).map(withoutLinks);
  return { length: close + 1 + whole.length - at, node: toLink(address, children) };
}

/** Links in links are no links. */
function withoutLinks(node: MarkdownNode): MarkdownNode {
  if (typeof node === "string") return node;
  const children = node.children.map(withoutLinks);
  return node.tag === "a" ? { tag: "em", children } : { ...node, children };
}

/** A web address in the text. */
function readAddress(text: string, at: number): ReadInline | undefined {
  const isStart = text[at] === "h" && (text.startsWith("https://", at) || text.startsWith("http://", at));
  if (!isStart || /\w/.test(text[at - 1] ?? "")) return undefined;
  const [found = ""] = /^[^\s<>"'`*\\|]+/.exec(text.slice(at, at + MAX_ADDRESS)) ?? [];
  let end = found.length;
  let unopened = found.split(")").length - found.split("(").length;
  // Punctuation behind an address belongs to the sentence; a parenthesis does unless the address opened it.
  while (/[.,;:!?)\]}_~]/.test(found[end - 1] ?? "")) {
    if (found[end - 1] === ")" && unopened-- <= 0) break;
    end -= 1;
  }
  const address = safeAddress(found.slice(0, end));
  return address === undefined ? undefined : { length: end, node: toLink(address, [found.slice(0, end)]) };
}

function toLink(address: string, children: readonly MarkdownNode[]): MarkdownElement {
  return { tag: "a", attributes: { href: address, target: "_blank", rel: "noopener noreferrer nofollow" }, children };
}

/** An address that may be followed; undefined for scripts, files and whatever else there is. */
function safeAddress(address: string) {
  if (!/^(https?:\/\/|mailto:)/i.test(address) || !URL.canParse(address)) return undefined;
  return address;
}

/** Where each opening bracket is closed. */
function matchBrackets(text: string): ReadonlyMap<number, number> {
  const closings: Map<number, number> = new Map();
  const open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "[") open.push(at);
    else if (text[at] === "]") {
      const start = open.pop();
      if (start !== undefined) closings.set(start, at);
    }
  }
  return closings;
}

/** A run of marks that may begin or end an emphasis. Inside words underscores are letters. */
function delimiterRun(
  text: string,
  at: number,
): { mark: string; length: number; canOpen: boolean; canClose: boolean } | undefined {
  const mark = text[at] ?? "";
  if (!"*_~".includes(mark) || mark === "") return undefined;
  const length = runLength(text, at);
  if (mark === "~" && length !== 2) return { mark, length, canOpen: false, canClose: false };
  const [before, after] = [text[at - 1] ?? " ", text[at + length] ?? " "];
  const isWord = mark === "_" && /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after);
  return { mark, length, canOpen: !isWord && /\S/.test(after), canClose: !isWord && /\S/.test(before) };
}

function runLength(text: string, at: number) {
  let end = at;
  while (text[end] === text[at]) end += 1;
  return end - at;
}
