import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { hasTerminal, openTerminal } from "../../cli/test/support/open-terminal.ts";
import { runCommandLine } from "../src/index.ts";

const MAIN = join(import.meta.dirname, "../src/main.ts");

async function say(...words: readonly string[]): Promise<{ code: number; out: string; error: string }> {
  const said = { out: "", error: "" };
  const into = (name: "out" | "error") => ({
    write: (text: string) => {
      said[name] += text;
    },
  });
  const code = await runCommandLine(words, { out: into("out"), error: into("error"), isPerson: false });
  return { code, ...said };
}

it("asks nothing with --yes, and ends with the two commands to run", async () => {
  const folder = join(createTemporaryFolder(), "my-app");
  const { code, out, error } = await say(folder, "--template", "next", "--yes");
  expect([code, error]).toEqual([0, ""]);
  const lines = out.trim().split("\n");
  expect(lines[0]).toContain("Created the template next in ");
  expect(lines.slice(-2)).toEqual([expect.stringMatching(/^ {2}cd .*my-app && npm install$/), "  npm run dev"]);
});

it.each([
  [
    "an unknown template",
    ["x", "--template", "blog"],
    'There is no template "blog". There are: chat, approval, next, worker.',
  ],
  ["an unknown option", ["x", "--templat", "chat"], "Unknown option '--templat'"],
  ["a second folder", ["x", "y", "--yes"], 'Unexpected argument "y": name one folder.'],
  [
    "no template where nobody can be asked",
    ["x"],
    "Name a template: --template <name>, or take the default with --yes.",
  ],
])("refuses %s", async (_, words, message) => {
  const { code, out, error } = await say(...words);
  expect([code, out]).toEqual([1, ""]);
  expect(error).toContain(message);
});

it("asks a person at a terminal, who may cancel", async (context) => {
  if (!hasTerminal) context.skip("there is no `script` of util-linux here");
  const cwd = createTemporaryFolder();
  const cancelled = openTerminal(cwd, "", {}, MAIN);
  await cancelled.until("In which folder?");
  cancelled.type("\u0003");
  await cancelled.until("Cancelled. Nothing was created.");
  expect(await cancelled.ended).toEqual([1, null]);
  expect(readdirSync(cwd)).toEqual([]);

  const terminal = openTerminal(cwd, "", {}, MAIN);
  await terminal.until("In which folder?");
  terminal.type("mine\r");
  await terminal.until("Which template?");
  await terminal.until("worker");
  terminal.type("\u001b[B\r");
  await terminal.until("Created the template approval in mine.");
  expect(await terminal.ended).toEqual([0, null]);
  expect(readdirSync(join(cwd, "mine"))).toContain("main.ts");
});
