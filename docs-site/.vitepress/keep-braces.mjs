/**
 * Braces in inline code are those of templates of workflows, and not expressions of Vue.
 *
 * @param {import("markdown-it").default} markdown
 */
export function keepBraces(markdown) {
  const draw = markdown.renderer.rules.code_inline;
  if (draw === undefined) throw new Error("The renderer of Markdown must draw inline code.");
  markdown.renderer.rules.code_inline = (tokens, index, ...rest) => {
    tokens[index]?.attrSet("v-pre", "");
    return draw(tokens, index, ...rest);
  };
}
