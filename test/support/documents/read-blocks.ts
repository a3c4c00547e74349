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
 * The programs among the blocks. A `text` block directly after a program is what it prints. `ts continued` adds to the program before it
 * on the page. The only way not to be run is to say why: `ts no-run: <reason>`. `tsx` blocks are components: `componentsOf` has them.
 * `mts` blocks are programs with packages of their own: the tests in `e2e` that install these run them.
 */
export function readSnippets(blocks: readonly FencedBlock[]): readonly Snippet[] {
  const snippets: Snippet[] = [];
  for (const [index, block] of blocks.entries()) {
    const [language = "", ...rest] = block.info.split(/\s+/);
    if (/^(typescript|jsx|js|javascript|mjs)$/i.test(language)) {
      throw new Error(`${block.file}:${block.line - 1} is marked ${language}, which nothing checks; mark it ts or tsx`);
    }
    if (language !== "ts") continue;
    const next = blocks[index + 1];
    const expectedOutput = next?.isDirectlyAfter && next.info === "text" ? next.content : undefined;
    const marks = rest.join(" ");
    const snippet = { file: block.file, line: block.line, code: block.content, expectedOutput };
    if (marks === "continued") snippets.push(continueSnippet(snippets.pop(), snippet));
    else snippets.push({ ...snippet, reasonNotToRun: readReason(block, marks) });
  }
  return snippets;
}

/** The React components among the blocks. They are checked where React is installed. */
export function componentsOf(blocks: readonly FencedBlock[]): readonly FencedBlock[] {
  return blocks.filter(({ info }) => info === "tsx");
}

/** Two blocks as one program, whose lines keep the numbers they have on the page. */
function continueSnippet(before: Snippet | undefined, { file, line, code, expectedOutput }: Continuation): Snippet {
  if (before === undefined) throw new Error(`${file}:${line - 1} continues a program, but none is above it`);
  const between = line - before.line - (before.code.split("\n").length - 1);
  const outputs = [before.expectedOutput, expectedOutput].filter((output) => output !== undefined);
  return {
    ...before,
    code: before.code + "\n".repeat(between) + code,
    expectedOutput: outputs.length === 0 ? undefined : outputs.join(""),
  };
}

type Continuation = Omit<Snippet, "reasonNotToRun">;

function readReason({ file, line }: FencedBlock, marks: string): string | undefined {
  if (marks === "") return undefined;
  const reason = /^no-run:\s*(\S.*)$/.exec(marks)?.[1];
  if (reason === undefined) {
    throw new Error(`${file}:${line - 1} has "${marks}" where only "continued" or "no-run: <reason>" may be`);
  }
  return reason;
}
