import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ROUTES } from "@reprise/server";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { describeApi } from "../../packages/server/src/routes/describe-api.ts";

const FOLDER = fileURLToPath(new URL("./", import.meta.url));
const TYPES = fileURLToPath(new URL("../../packages/client/src/api.ts", import.meta.url));

/** Installs the generator on first use, and when the lockfile has changed. */
beforeAll(() => {
  const version = (lockfile: string): string | undefined => {
    if (!existsSync(FOLDER + lockfile)) return undefined;
    return JSON.parse(readFileSync(FOLDER + lockfile, "utf8")).packages["node_modules/openapi-typescript"]?.version;
  };
  if (version("node_modules/.package-lock.json") === version("package-lock.json")) return;
  console.error("e2e/typed-client: installing the generator with npm ci (once)");
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: FOLDER, stdio: "pipe" });
}, 180_000);

it("the types of the client are those of the OpenAPI document", async () => {
  const folder = mkdtempSync(join(tmpdir(), "reprise-api-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [document, types] = [join(folder, "openapi.json"), join(folder, "api.ts")];
  writeFileSync(document, JSON.stringify(describeApi(ROUTES)));
  const program = join(FOLDER, "node_modules/openapi-typescript/bin/cli.js");
  execFileSync(process.execPath, [program, document, "--output", types], { stdio: "pipe" });
  await expect(readFileSync(types, "utf8")).toMatchFileSnapshot(TYPES);
}, 60_000);
