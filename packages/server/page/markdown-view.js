import { element } from "./elements.js";
import { parseMarkdown } from "./markdown.js";

/** Text of a model on the page. It grows, and only the blocks that change are drawn again. */
export class MarkdownView {
  constructor() {
    this.root = element("div", { class: "said assistant markdown" });
    this.text = "";
    /** @type {{ start: number, source: string, drawn: HTMLElement }[]} */
    this.blocks = [];
  }

  /** @param {string} text */
  append(text) {
    this.text += text;
    // Text that is appended changes at most the last two blocks.
    const kept = Math.max(this.blocks.length - 2, 0);
    const from = this.blocks[kept]?.start ?? 0;
    const parsed = parseMarkdown(this.text.slice(from));
    for (const [index, { start, source, node }] of parsed.entries()) {
      const old = this.blocks[kept + index];
      if (old?.source === source) continue;
      const drawn = draw(node);
      if (old === undefined) this.root.append(drawn);
      else old.drawn.replaceWith(drawn);
      this.blocks[kept + index] = { start: from + start, source, drawn };
    }
    for (const { drawn } of this.blocks.splice(kept + parsed.length)) drawn.remove();
  }
}

/**
 * @param {import("./markdown.js").MarkdownElement} node
 * @returns {HTMLElement}
 */
function draw({ tag, attributes = {}, children }) {
  const drawn = element(tag, attributes, ...children.map((child) => (typeof child === "string" ? child : draw(child))));
  // Wide code and tables scroll, also by the keyboard.
  if (tag === "pre") drawn.tabIndex = 0;
  if (tag !== "table") return drawn;
  return element("div", { class: "table", tabindex: "0", role: "group", "aria-label": "Table" }, drawn);
}
