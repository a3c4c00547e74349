import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder with these files, removed when the test is over. */
export async function makeFolder(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "reprise-test-skills-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

/** A SKILL.md. */
export function skillMd(
  name: string,
  more: Readonly<Record<string, string>> = {},
  body = `Do it as ${name} does.`,
): string {
  const fields = { name, description: `Does ${name}.`, ...more };
  return `---\n${Object.entries(fields)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join("")}---\n${body}\n`;
}
