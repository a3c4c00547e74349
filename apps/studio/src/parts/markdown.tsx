import { createElement, memo, type ReactNode, useMemo, useState } from "react";
import { type MarkdownElement, type MarkdownNode, parseMarkdown } from "../text/markdown.ts";
import { IconButton } from "./button.tsx";

/** Text of a model. It is read into known elements and never into HTML; pictures from elsewhere stay links. */
export const Markdown = memo(function Markdown({
  text,
  isWriting = false,
  className = "",
}: {
  readonly text: string;
  readonly isWriting?: boolean;
  readonly className?: string;
}): ReactNode {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return (
    <div className={`markdown ${isWriting ? "writing" : ""} ${className}`}>
      {blocks.map(({ start, source, node }) => (
        <DrawnBlock key={start} source={source} node={node} />
      ))}
    </div>
  );
});

/** Only the blocks that changed are drawn again. */
const DrawnBlock = memo(
  function DrawnBlock({ node }: { readonly source: string; readonly node: MarkdownElement }): ReactNode {
    if (node.tag === "pre") return <Code node={node} />;
    if (node.tag === "table")
      return (
        <div role="group" aria-label="Table" tabIndex={0} className="overflow-x-auto">
          {draw(node, 0)}
        </div>
      );
    return draw(node, 0);
  },
  (before, after) => before.source === after.source,
);

function Code({ node }: { readonly node: MarkdownElement }): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(textOf(node));
    setCopied(true);
  };
  return (
    <div className="group relative">
      <pre tabIndex={0} data-language={node.attributes?.["data-language"]}>
        {node.children.map(draw)}
      </pre>
      <IconButton
        icon={isCopied ? "check" : "copy"}
        label="Copy code"
        onClick={() => void copy()}
        className="absolute top-1 right-1 bg-side opacity-0 group-hover:opacity-100 focus-visible:opacity-100"
      />
    </div>
  );
}

function draw(node: MarkdownNode, key: number): ReactNode {
  if (typeof node === "string") return node;
  const { tag, attributes, children } = node;
  // A head without a word heads nothing.
  const shown = tag === "th" && children.length === 0 ? "td" : tag;
  return createElement(shown, { key, ...attributes }, ...children.map(draw));
}

function textOf(node: MarkdownNode): string {
  return typeof node === "string" ? node : node.children.map(textOf).join("");
}
