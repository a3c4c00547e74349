/** A fenced block of a markdown file. `line` is the line of its first line of content. */
export interface FencedBlock {
  readonly file: string;
  readonly line: number;
  readonly info: string;
  readonly content: string;
  /** Whether only blank lines stand between the block before and this one. */
  readonly isDirectlyAfter: boolean;
}

/** A program in the documentation and what is to be done with it. */
export interface Snippet {
  readonly file: string;
  readonly line: number;
  readonly code: string;
  readonly reasonNotToRun: string | undefined;
  readonly expectedOutput: string | undefined;
}

const FENCE = /^(\s*)(`{3,}|~{3,})\s*(.*?)\s*$/;

/** Reads the fenced blocks of a markdown file, also those indented in a list. */
export function readBlocks(file: string, markdown: string): readonly FencedBlock[] {
  const blocks: FencedBlock[] = [];
  let open: { fence: string; indent: string; info: string; line: number; lines: string[] } | undefined;
  let isDirectlyAfter = false;
  for (const [index, line] of markdown.split("\n").entries()) {
    const [, indent = "", fence = "", info = ""] = FENCE.exec(line) ?? [];
    if (open === undefined && fence !== "") {
      open = { fence, indent, info, line: index + 2, lines: [] };
    } else if (open === undefined) {
      if (line.trim() !== "") isDirectlyAfter = false;
    } else if (info === "" && fence.startsWith(open.fence)) {
      const content = open.lines.map((text) => `${text}\n`).join("");
      blocks.push({ file, line: open.line, info: open.info, content, isDirectlyAfter });
      isDirectlyAfter = true;
      open = undefined;
    } else {
      open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line.trimStart());
    }
  }
  if (open !== undefined) throw new Error(`${file}:${open.line - 1} opens a block that is never closed`);
  return blocks;
}

/**
 * The programs among the blocks. A `text` block directly after a program is what it prints.
 * The only way not to be run is to say why: `ts no-run: <reason>`.
 */
export function readSnippets(blocks: readonly FencedBlock[]): readonly Snippet[] {
  return blocks.flatMap((block, index) => {
    const [language = "", ...rest] = block.info.split(/\s+/);
    if (/^(typescript|tsx|js|javascript|mjs)$/i.test(language)) {
      throw new Error(`${block.file}:${block.line - 1} is marked ${language}, which nothing checks; mark it ts`);
    }
    if (language !== "ts") return [];
    const next = blocks[index + 1];
    const expectedOutput = next?.isDirectlyAfter && next.info === "text" ? next.content : undefined;
    const reasonNotToRun = readReason(block, rest.join(" "));
    return [{ file: block.file, line: block.line, code: block.content, reasonNotToRun, expectedOutput }];
  });
}

function readReason({ file, line }: FencedBlock, marks: string): string | undefined {
  if (marks === "") return undefined;
  const reason = /^no-run:\s*(\S.*)$/.exec(marks)?.[1];
  if (reason === undefined) throw new Error(`${file}:${line - 1} has "${marks}" where only "no-run: <reason>" may be`);
  return reason;
}
