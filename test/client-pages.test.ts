import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../scripts/repository.mjs";
import { componentsOf, readBlocks } from "./support/documents/read-blocks.ts";

const MOST_LINES = 20;

/** The lines of a text that say something, however far they are indented. */
const linesIn = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

const blocksOf = (page: string) => readBlocks(page, readFileSync(join(ROOT, page), "utf8"));

/** Each page about a protocol: the import of its client, and the line with which the client's part begins, behind that of the server. */
const PAGES: readonly (readonly [page: string, client: string, begins: string])[] = [
  ["integrate-ag-ui", "@ag-ui/client", "const agent = new HttpAgent("],
  ["serve-a2a", "@a2a-js/sdk/client", "const client = await new ClientFactory("],
  ["serve-mcp", "@modelcontextprotocol/client", "const client = new Client("],
  ["expose-nats", "@nats-io/transport-node", "const client = await connect("],
  ["use-from-an-editor", "@agentclientprotocol/sdk", 'import { spawn } from "node:child_process";'],
  ["use-the-typed-client", "@reprise/client", "const client = createClient("],
  ["integrate-ai-sdk", "@ai-sdk/react", "import { useChat }"],
];

it.each(PAGES)("%s shows %s at work in twenty lines at most", (page, client, begins) => {
  const found = blocksOf(`docs/how-to/${page}.md`).find(({ content }) => content.includes(`from "${client}"`));
  const lines = linesIn(found?.content ?? "");
  const first = lines.findIndex((line) => line.startsWith(begins));
  expect(first, `There is no ${begins}`).toBeGreaterThanOrEqual(0);
  const own = lines.slice(first);
  const imported = own.some((line) => line.includes(`from "${client}"`)) ? 0 : 1;
  expect(own.length + imported).toBeGreaterThan(4);
  expect(own.length + imported).toBeLessThanOrEqual(MOST_LINES);
});

describe("the page about CopilotKit", () => {
  const sources = readdirSync(join(ROOT, "examples/copilotkit-starter/src"))
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => linesIn(readFileSync(join(ROOT, "examples/copilotkit-starter/src", file), "utf8")).join("\n"));
  const shown = componentsOf(blocksOf("docs/how-to/integrate-copilotkit.md")).map(({ content }) => linesIn(content));

  // A browser drives the example in e2e/pages.
  it("shows lines of the example as they are", () => {
    for (const lines of shown) {
      const isThere = sources.some((source) => source.includes(lines.join("\n")));
      expect(isThere, lines.join("\n")).toBe(true);
    }
  });

  it("shows the client in twenty lines at most", () => {
    expect(shown.flat().length).toBeGreaterThan(10);
    expect(shown.flat().length).toBeLessThanOrEqual(MOST_LINES);
  });
});
