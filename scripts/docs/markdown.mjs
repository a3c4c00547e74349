/** The end of a link or picture; its text may itself hold a picture, so the pattern does not look for the beginning. */
const INLINE_LINK = /\]\(\s*<?([^)\s>]+)>?[^)]*\)/dg;
const DEFINITION = /^ {0,3}\[[^\]^]+\]:\s*<?([^\s>]+)/dgm;
const HTML_LINK = /<(?:a|img|source)\b[^>]*?\b(?:href|src)="([^"]+)"/dg;

/** @typedef {{ readonly target: string, readonly start: number, readonly end: number, readonly line: number }} Link */

/**
 * The targets of links and pictures, in the order of their positions. Code has none.
 *
 * @param {string} markdown
 * @returns {readonly Link[]}
 */
export function readLinks(markdown) {
  const text = withoutCode(markdown);
  return [INLINE_LINK, DEFINITION, HTML_LINK]
    .flatMap((pattern) =>
      [...text.matchAll(pattern)].map(({ 1: target = "", indices }) => {
        const [start, end] = indices?.[1] ?? [0, 0];
        return { target, start, end, line: text.slice(0, start).split("\n").length };
      }),
    )
    .sort((one, other) => one.start - other.start);
}

/**
 * The same page with other link targets. A link without a new target becomes its text and the path that it led to.
 *
 * @param {string} markdown
 * @param {(target: string) => string | undefined} change
 */
export function changeLinks(markdown, change) {
  let text = "";
  let position = 0;
  for (const { target, start, end } of readLinks(markdown)) {
    const changed = change(target);
    if (changed !== undefined) {
      text += markdown.slice(position, start) + changed;
      position = end;
    } else {
      const before = markdown.slice(position, start);
      const opening = before.lastIndexOf("[");
      const label = before.slice(opening + 1, before.lastIndexOf("]"));
      const path = target.replace(/^(\.\.?\/)+/, "");
      text += before.slice(0, opening) + (label.includes(path) ? label : `${label} (\`${path}\`)`);
      position = markdown.indexOf(")", end) + 1;
    }
  }
  return text + markdown.slice(position);
}

/**
 * Whether a link leaves the repository: an address with a scheme or a host.
 *
 * @param {string} target
 */
export function isWebAddress(target) {
  return /^[a-z][a-z+.-]*:|^\/\//i.test(target);
}

/**
 * The anchors of a page's headings as GitHub makes them, and those written by hand.
 *
 * @param {string} markdown
 * @returns {ReadonlySet<string>}
 */
export function readAnchors(markdown) {
  /** @type {Set<string>} */
  const anchors = new Set();
  for (const [, heading = ""] of withoutFences(markdown).matchAll(/^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$/gm)) {
    const slug = anchorOf(heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1"));
    let anchor = slug;
    for (let copy = 1; anchors.has(anchor); copy += 1) anchor = `${slug}-${copy}`;
    anchors.add(anchor);
  }
  for (const [, name = ""] of markdown.matchAll(/<[^>]+\b(?:id|name)="([^"]+)"/g)) anchors.add(name);
  return anchors;
}

/**
 * The anchor of one heading, before copies are numbered.
 *
 * @param {string} heading
 */
export function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
    .replaceAll(" ", "-");
}

/**
 * A page's title and the beginning of its first paragraph, both without markup.
 *
 * @param {string} markdown
 * @returns {{ readonly title: string, readonly description: string }}
 */
export function describePage(markdown) {
  const blocks = withoutFences(markdown)
    .replace(/<!--[\s\S]*?-->/g, "")
    .split(/\n\s*\n/)
    .map((block) => block.trim());
  const title = blocks.find((block) => block.startsWith("# ")) ?? "";
  const paragraphs = blocks.slice(blocks.indexOf(title) + 1).filter((block) => /^[^#>|\-*\d<]|^\*\*/.test(block));
  // "Replaced by 0014." describes nothing, nor does the label of a paragraph.
  const paragraph = paragraphs.find((block) => block.length > 100) ?? paragraphs[0] ?? "";
  return {
    title: plainText(title.slice(2)),
    description: shorten(plainText(paragraph.replace(/^\*\*[^*]+\.\*\* /, ""))),
  };
}

/** @param {string} markdown */
function plainText(markdown) {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\*+|`/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * The sentences that fit into what a search result shows, and at least one.
 *
 * @param {string} text
 */
function shorten(text) {
  const sentences = text.split(/(?<=[.!?:]) (?=\p{Lu}|`)/u);
  let short = sentences[0] ?? "";
  for (const sentence of sentences.slice(1)) {
    if (short.length + sentence.length > 180) break;
    short += ` ${sentence}`;
  }
  return short.replace(/:$/, ".");
}

/**
 * Blanks fenced blocks but keeps their lengths, so that positions and line numbers stay true.
 *
 * @param {string} markdown
 */
function withoutFences(markdown) {
  return markdown.replace(/^(\s*)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\s*\2[`~]*\s*$/gm, (block) =>
    block.replace(/[^\n]/g, " "),
  );
}

/** @param {string} markdown */
function withoutCode(markdown) {
  return withoutFences(markdown).replace(/(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g, (code) => " ".repeat(code.length));
}
