/**
 * Fenced `mermaid` blocks become a component that draws them in the browser, in the colours of the reader.
 *
 * @param {import("vitepress").MarkdownRenderer} markdown
 */
export function drawMermaid(markdown) {
  const drawFence = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index];
    if (token?.info.trim() !== "mermaid") return drawFence?.(tokens, index, options, env, self) ?? "";
    return `<MermaidDiagram code="${markdown.utils.escapeHtml(encodeURIComponent(token.content))}" />`;
  };
}
