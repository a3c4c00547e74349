import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { ROOT } from "../../scripts/repository.mjs";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

const PAGE = readFileSync(join(ROOT, "docs/how-to/mount-in-your-server.md"), "utf8");

/** A program of the page: the first block under a heading. */
function blockOf(heading: string): string {
  const [, rest = ""] = PAGE.split(`${heading}\n`, 2);
  const [, code] = /```(?:m?ts)[^\n]*\n([\s\S]*?)```/.exec(rest) ?? [];
  if (code === undefined) throw new Error(`There is no program under ${heading}.`);
  return code;
}

/** In this folder, where the frameworks are found. */
let folder: string;

beforeAll(() => {
  const lockfile = join(import.meta.dirname, "node_modules/.package-lock.json");
  if (!existsSync(lockfile)) {
    console.error("e2e/own-server: installing Express and Fastify with npm ci (once, about 10 MB)");
    execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: import.meta.dirname, stdio: "ignore" });
  }
  mkdirSync(join(import.meta.dirname, ".run"), { recursive: true });
  folder = mkdtempSync(join(import.meta.dirname, ".run/"));
  writeFileSync(join(folder, "agents-server.ts"), blockOf("# Mount it in your own server"));
  for (const name of ["Express", "Fastify", "Hono"]) writeFileSync(join(folder, `${name}.mts`), blockOf(`## ${name}`));
  writeFileSync(
    join(folder, "parsed.mts"),
    blockOf("## Express").replace('app.use("/agents"', 'app.use(express.json());\napp.use("/agents"'),
  );
  writeFileSync(join(folder, "next.mts"), blockOf("## Next"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Runs a program of the page. It is ready when its own page answers. */
async function start(name: string): Promise<string> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, ["--conditions=reprise-source", join(folder, `${name}.mts`)], {
    cwd: mkdtempSync(join(folder, "cwd-")),
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: "inherit",
  });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const isReady = async (): Promise<boolean> => (await fetch(url).catch(() => undefined))?.ok === true;
  await expect.poll(isReady, { timeout: 60_000 }).toBe(true);
  return url;
}

it.each([
  ["Express", [308, "/agents/"]],
  ["parsed", [308, "/agents/"]],
  ["Fastify", [308, "/agents/"]],
  // Hono does not tell a mounted app where it is mounted, so the app cannot send a browser to the address with the slash.
  ["Hono", [200, null]],
] as const)(
  "mounted in %s as the page says, it serves the page, the API and streams, and leaves the rest to the host",
  async (name, bare) => {
    const url = await start(name);
    const page = await fetch(`${url}/agents/`);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const files = [...(await page.text()).matchAll(/(?:src|href)="\.\/(assets\/[^"]*)"/g)].map(([, path]) => path);
    expect(files.length).toBeGreaterThan(1);
    for (const path of files) expect((await fetch(`${url}/agents/${path}`)).status, path).toBe(200);
    const withoutSlash = await fetch(`${url}/agents`, { redirect: "manual" });
    expect([withoutSlash.status, withoutSlash.headers.get("location")]).toEqual(bare);

    expect(await (await fetch(url)).text()).toBe("My own page.");
    expect((await fetch(`${url}/nothing`)).status).toBe(404);
    expect((await fetch(`${url}/agents/nothing`)).status).toBe(404);

    const run = await fetch(`${url}/agents/v1/runs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ agentId: "assistant", messages: [{ role: "user", content: "Hi" }] }),
    });
    expect([run.status, run.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    expect(await run.text()).toContain('"response":"Hello!"');
    expect((await (await fetch(`${url}/agents/v1/threads`)).json()).total).toBe(1);
  },
);

it("the route file of the page answers as Next calls it", () => {
  const program = `
    const { GET, POST } = await import(${JSON.stringify(join(folder, "next.mts"))});
    const page = await GET(new Request("http://localhost/agents/"));
    const body = JSON.stringify({ agentId: "assistant", messages: [{ role: "user", content: "Hi" }] });
    const headers = { "content-type": "application/json" };
    const run = await POST(new Request("http://localhost/agents/v1/runs", { method: "POST", headers, body }));
    const text = await run.text();
    console.log(page.headers.get("content-type"), run.status, text.includes('"response":"Hello!"'));
    process.exit(0);`;
  const cwd = mkdtempSync(join(folder, "cwd-"));
  const words = ["--conditions=reprise-source", "--input-type=module", "--eval", program];
  const output = execFileSync(process.execPath, words, { cwd, encoding: "utf8", env: { PATH: process.env.PATH } });
  expect(output).toBe("text/html; charset=utf-8 200 true\n");
});

it("the programs have sound types with the declarations of the frameworks", () => {
  const options = {
    extends: "../../../../tsconfig.check.json",
    compilerOptions: { types: ["node"], noUnusedParameters: false },
    include: ["*.ts", "*.mts"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options));
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { cwd: folder, encoding: "utf8" });
  // Sources of the repository are checked with the repository's own declarations of Node.
  const own = stdout.split("\n").filter((line) => /^[^.\s]/.test(line));
  expect(own).toEqual([]);
});
