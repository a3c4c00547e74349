import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RepriseError } from "@reprise/contracts";
import { expect, it, onTestFinished } from "vitest";
import { openFileStore } from "../src/file/open-file-store.ts";
import { openSqliteStore } from "../src/sqlite/open-sqlite-store.ts";

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "reprise-missing-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const OPEN = {
  sqlite: (path: string) => openSqliteStore({ file: path }),
  file: (path: string) => openFileStore({ folder: path }),
};

it.each(["sqlite", "file"] as const)(
  "a %s store in a missing folder names the folder and the remedy, and opens once it exists",
  async (kind) => {
    const parent = join(makeFolder(), "data");
    const path = join(parent, "store");
    const error = await OPEN[kind](path).catch((thrown: unknown) => thrown);
    expect(RepriseError.is(error, "STORE_UNAVAILABLE")).toBe(true);
    expect(error).toMatchObject({
      message: `The store ${path} cannot be opened: the folder ${parent} does not exist. Create it (mkdir -p ${parent}), or correct the path.`,
      details: { reason: "missing_folder", folder: parent },
    });
    expect(existsSync(parent)).toBe(false);
    mkdirSync(parent);
    await (await OPEN[kind](path)).close();
  },
);

it("a SQLite store that is a folder, and a file store that is a file, say so", async () => {
  const folder = makeFolder();
  const file = join(folder, "notes.txt");
  writeFileSync(file, "mine");
  await expect(OPEN.sqlite(folder)).rejects.toThrow(`it is a folder. Name a file, such as ${join(folder, "app.db")}.`);
  await expect(OPEN.file(file)).rejects.toThrow("it is a file. Name a folder.");
});
