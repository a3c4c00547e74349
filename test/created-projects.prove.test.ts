import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { connect, headers } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { startNats } from "../packages/stores/test/nats/start-nats.ts";
import { startServer } from "../packages/stores/test/postgres/start-server.ts";
import { listFiles, ROOT } from "../scripts/repository.mjs";
import { runCaptured } from "../scripts/run-process.mjs";
import { describeWithService } from "./support/describe-with-service.ts";
import { readDockerfile, type Stage, variablesOf, wordsOfOnly } from "./support/dockerfile.ts";
import { installInto, installProject, type PackedPackages, packPackages } from "./support/packed-packages.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 900_000 });

let packed: PackedPackages = { folder: "", tarballs: {} };
const project = (template: string): string => join(packed.folder, "projects", template);

/** The pinned Node first, as `npm start` would find the user's. */
const env = {
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  HOME: process.env.HOME,
  NO_COLOR: "1",
  NEXT_TELEMETRY_DISABLED: "1",
};

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** Runs `npm create reprise` as it is published. */
async function create(template: string, folder: string): Promise<string> {
  const main = join(packed.folder, "tools/node_modules/create-reprise/dist/main.js");
  const words = [main, folder, "--template", template, "--yes"];
  const { code, stdout, output } = await runCaptured(process.execPath, words, { cwd: packed.folder, env });
  expect([code, output]).toEqual([0, stdout]);
  return stdout;
}

beforeAll(async () => {
  packed = await packPackages();
  await installInto(join(packed.folder, "tools"), packed, { "create-reprise": "*" });
  // The three that share most of what they need share one installation.
  const shared = join(packed.folder, "projects");
  await installInto(shared, packed, { reprise: "*" });
  for (const template of SMALL) await create(template, project(template));
  const wanted = SMALL.map((template) => manifestOf(project(template)));
  await installInto(
    shared,
    packed,
    Object.assign({}, ...wanted.flatMap(({ dependencies, devDependencies }) => [dependencies, devDependencies])),
  );
  for (const template of SMALL) symlinkSync(join(shared, "node_modules"), join(project(template), "node_modules"));
});
afterAll(() => rmSync(packed.folder, { recursive: true, force: true }));

const SMALL = ["chat", "approval", "worker"] as const;

/** A script of a project, running. */
interface Started {
  /** Waits for a line and returns what the groups of the pattern matched in it. */
  until(pattern: RegExp): Promise<readonly string[]>;
  stop(): Promise<number | null>;
}

/** Starts what a script of package.json says, without the shell between that would hide the program's exit. */
function start(folder: string, script: string, more: Readonly<Record<string, string>> = {}): Started {
  const [program = "", ...words] = String(manifestOf(folder).scripts[script]).split(" ");
  const command = program === "node" ? process.execPath : join(folder, "node_modules/.bin", program);
  return follow(spawn(command, words, { cwd: folder, env: { ...env, ...more }, stdio: ["ignore", "pipe", "pipe"] }));
}

/** Reads what a program prints, line by line. Killed with the test. */
function follow(child: ChildProcessByStdio<null, Readable, Readable>): Started {
  const ended = once(child, "exit");
  const seen: string[] = [];
  const waiting = new Set<() => void>();
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on("line", (line) => {
      seen.push(line);
      for (const look of waiting) look();
    });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    until(pattern) {
      return new Promise((resolve, reject) => {
        const look = (): void => {
          const at = seen.findIndex((line) => pattern.test(line));
          if (at === -1) return;
          waiting.delete(look);
          const [line = ""] = seen.splice(at, 1);
          resolve((pattern.exec(line) ?? []).slice(1));
        };
        waiting.add(look);
        void ended.then(([code]) => reject(new Error(`It ended with ${code}:\n${seen.join("\n")}`)));
        look();
      });
    },
    async stop() {
      child.kill("SIGTERM");
      const [code] = await ended;
      return code;
    },
  };
}

function post(url: string, body: object): Promise<Response> {
  return fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

const says = (agentId: string, runId: string) => ({ agentId, runId, messages: [{ role: "user", content: "go" }] });

describe.each(SMALL)("issue 21: the template %s", (template) => {
  it("has sound types", async () => {
    const words = [join(project(template), "node_modules/typescript/bin/tsc")];
    expect(await runCaptured(process.execPath, words, { cwd: project(template) })).toMatchObject({
      code: 0,
      output: "",
    });
  });

  it("imports only what its package.json names", () => {
    const folder = project(template);
    const { dependencies } = manifestOf(folder);
    const texts = listFiles(folder)
      .filter((path) => path.endsWith(".ts"))
      .map((path) => readFileSync(join(folder, path), "utf8"));
    const imported = texts.flatMap((text) => [...text.matchAll(/from "([^."][^"]*)"/g)].map(([, name = ""]) => name));
    const packages = imported.filter((name) => !name.startsWith("node:")).map((name) => name.split("/", 1)[0]);
    expect([...new Set(packages)].filter((name = "") => !Object.hasOwn(dependencies, name))).toEqual([]);
  });
});

it("issue 21: the template chat serves an agent and the studio, and continues after a restart", async () => {
  const server = start(project("chat"), "start", { PORT: "0" });
  const [url = ""] = await server.until(/^Talk to your agent: (http:\S+)\/$/);
  const page = await fetch(`${url}/`);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<title>")]);
  const answer = await (await post(`${url}/v1/runs`, says("assistant", "first"))).text();
  expect(answer).toContain('"rolled":');
  expect(answer).toContain("I rolled a die for you.");
  expect(await server.stop()).toBe(0);

  const again = start(project("chat"), "start", { PORT: "0" });
  const [next = ""] = await again.until(/^Talk to your agent: (http:\S+)\/$/);
  expect(await (await fetch(`${next}/v1/runs/first`)).json()).toMatchObject({ status: "done" });
  expect(await again.stop()).toBe(0);
});

it("issue 21: the template approval asks, waits while it is not running, and pays once it is approved", async () => {
  const folder = project("approval");
  expect(readFileSync(join(folder, "main.ts"), "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(40);
  const run = (input: string) => runCaptured(process.execPath, ["main.ts"], { cwd: folder, env, input });
  const left = await run("");
  expect([left.code, left.output]).toEqual([0, expect.stringContaining('pay {"to":"Ada","amount":500}: approve?')]);
  expect(left.output).not.toContain("Paid");
  const approved = await run("y\n");
  expect([approved.code, approved.output]).toEqual([
    0,
    expect.stringMatching(/Paid 500 to Ada \(key .+\)\.\nThat is settled\./),
  ]);
  expect((await run("n\n")).output).not.toContain("Paid");
});

describeWithService("postgres", "issue 21: the template worker", (service) => {
  it("migrates, answers in one process and works in two others, until it is stopped", async () => {
    const database = await startServer(service);
    onTestFinished(() => database.stop());
    const folder = project("worker");
    const unset = start(folder, "start");
    await unset.until(/^DATABASE_URL is not set\. Copy \.env\.example to \.env/);
    const app = start(folder, "start", { DATABASE_URL: database.url, REPRISE_PORT: "0" });
    onTestFinished(async () => {
      await app.stop();
    });
    const [url = ""] = await app.until(/^Reprise serves on (http:\S+)$/);
    for (const _ of ["one", "two"]) await app.until(/^Reprise works on runs$/);
    const answer = await (await post(`${url}/v1/runs`, says("editor", "first"))).text();
    expect(answer).toContain("The picture is resized.");
    expect(answer).toMatch(/"worker":\d+/);
    expect(await app.stop()).toBe(0);
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });

  describeWithService("nats", "with the profile nats", (broker) => {
    it("connects every process to the server of REPRISE_LIVE_URL, and answers over NATS what a worker did", async () => {
      const [database, nats] = [await startServer(service), await startNats(broker, { hasJetStream: false })];
      onTestFinished(async () => {
        await nats.stop();
        await database.stop();
      });
      // What compose.yaml passes on to the processes.
      const app = start(project("worker"), "start", {
        DATABASE_URL: database.url,
        REPRISE_PORT: "0",
        REPRISE_LIVE_URL: nats.url,
      });
      onTestFinished(async () => {
        await app.stop();
      });
      await app.until(/^Reprise serves on http:\S+$/);
      for (const _ of ["one", "two"]) await app.until(/^Reprise works on runs$/);
      const connected = async (): Promise<readonly string[]> => {
        const { connections } = await (await fetch(`${nats.monitorUrl}/connz`)).json();
        return connections.map(({ name }: { readonly name?: string }) => name);
      };
      await expect.poll(connected, { timeout: 60_000 }).toEqual(["reprise live", "reprise live", "reprise live"]);

      const gateway = start(project("worker"), "api", {
        DATABASE_URL: database.url,
        REPRISE_PORT: "0",
        REPRISE_NATS_URL: nats.url,
      });
      await gateway.until(/^Reprise serves on http:\S+$/);
      const client = await connect({ servers: nats.url });
      onTestFinished(() => client.close());
      const asked = headers();
      asked.set("reprise-sentinel", "true");
      const body = JSON.stringify({ agentId: "editor", sessionId: "t2", input: "go", runId: "second" });
      const options = { strategy: "sentinel", maxWait: 60_000, headers: asked } as const;
      let answer = "";
      for await (const message of await client.requestMany("agentos.ai-sdk.runs", body, options))
        answer += message.string();
      expect(answer).toContain("The picture is resized.");
      expect(await gateway.stop()).toBe(0);
    });
  });
});

it("issue 21: the template next is built, and its page, its chat and its studio are served", async () => {
  // Next takes the folder of a lockfile above for the project's own.
  const folder = join(packed.folder, "with-next");
  expect(await create("next", folder)).toMatch(/npm install\n {2}npm run dev\n/);
  await installProject(folder, packed);
  const next = join(folder, "node_modules/next/dist/bin/next");
  const built = await runCaptured(process.execPath, [next, "build"], { cwd: folder, env });
  expect({ code: built.code, output: built.code === 0 ? "" : built.output }).toEqual({ code: 0, output: "" });
  const types = await runCaptured(process.execPath, [join(folder, "node_modules/typescript/bin/tsc")], { cwd: folder });
  expect(types).toMatchObject({ code: 0, output: "" });

  const app = start(folder, "start", { PORT: "0" });
  const [url = ""] = await app.until(/Local:\s+(http:\S+)/);
  expect(await (await fetch(url)).text()).toContain("Talk to your agent");
  const studio = await fetch(`${url}/agents/`);
  expect([studio.status, await studio.text()]).toEqual([200, expect.stringContaining("<title>")]);
  const message = { id: "m1", role: "user", parts: [{ type: "text", text: "Roll a die" }] };
  const chat = await post(`${url}/agents/v1/ai-sdk/agents/assistant/runs`, { id: "chat-1", messages: [message] });
  expect(chat.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
  const chunks = await chat.text();
  expect(chunks).toContain("tool-output-available");
  expect(chunks).toContain("I rolled a die for you.");
  const { items } = await (await fetch(`${url}/agents/v1/threads`)).json();
  expect(items).toMatchObject([{ thread_id: "chat-1" }]);
});

/** What a container engine would do, as far as it can be done without one. */
describe("issue 21: the image of the template worker, made by hand", () => {
  let root = "";
  const [build, final] = readDockerfile(
    readFileSync(join(ROOT, "packages/create-reprise/templates/worker/Dockerfile"), "utf8"),
  );
  if (build === undefined || final === undefined) throw new Error("The Dockerfile must have two stages.");

  beforeAll(async () => {
    root = join(packed.folder, "image");
    const app = join(root, "app");
    const source = join(packed.folder, "deployed");
    await create("worker", source);
    // The lockfile that the image is made from, of the project as its user has it.
    await installProject(source, packed);
    mkdirSync(app, { recursive: true });
    for (const name of ["package.json", "package-lock.json"]) cpSync(join(source, name), join(app, name));
    const run = build.instructions.find(({ name }) => name === "RUN")?.words ?? [];
    const [npm = "", ...words] = run;
    const installed = await runCaptured(npm, [...words, "--no-audit", "--no-fund", "--prefer-offline"], {
      cwd: app,
      env,
    });
    expect({ code: installed.code, output: installed.code === 0 ? "" : installed.output }).toEqual({
      code: 0,
      output: "",
    });
    const ignored = readFileSync(join(source, ".dockerignore"), "utf8").trim().split("\n");
    for (const name of readdirSync(source).filter((each) => !ignored.includes(each)))
      cpSync(join(source, name), join(app, name), { recursive: true });
    cpSync(realpathSync(process.execPath), join(root, "bin/node"));
    // Nobody may write there, and everybody may read.
    for (const path of [packed.folder, root]) chmodSync(path, 0o755);
    await runCaptured("chmod", ["-R", "a+rX,a-w", root]);
  });
  afterAll(() => runCaptured("chmod", ["-R", "u+w", root]));

  /** Runs a command of the image as its user: the one of the Dockerfile where that can be chosen, else the one that runs the tests. */
  function inImage(words: readonly string[], more: Readonly<Record<string, string>>) {
    const [user = ""] = wordsOfOnly(final as Stage, "USER");
    const [uid = "", gid = ""] = user.split(":");
    const drop = [
      "setpriv",
      `--reuid=${uid}`,
      `--regid=${gid}`,
      "--clear-groups",
      "--no-new-privs",
      "--bounding-set=-all",
    ];
    const [program = "", ...rest] = [...(process.getuid?.() === 0 ? drop : []), ...words];
    const variables = {
      PATH: `${join(root, "bin")}:/usr/bin:/bin`,
      HOME: "/nonexistent",
      ...variablesOf(final as Stage),
      ...more,
    };
    return { program, rest, options: { cwd: join(root, "app"), env: variables } };
  }
  const entry = wordsOfOnly(final, "ENTRYPOINT");

  it("holds nothing that only development needs", () => {
    const names = readdirSync(join(root, "app/node_modules"));
    expect(names).toEqual(expect.arrayContaining(["reprise", "@reprise", "pg"]));
    expect(names.filter((name) => /^(typescript|@types|vitest)$/.test(name))).toEqual([]);
    for (const name of [".env", ".git", "deploy", "compose.yaml"])
      expect(existsSync(join(root, "app", name))).toBe(false);
  });

  it("cannot be written to by its user", async () => {
    const script =
      "const { writeFileSync } = require('node:fs'); try { writeFileSync('made', ''); } catch ({ code }) { console.log(code); }";
    const { program, rest, options } = inImage(["node", "-e", script], {});
    expect((await runCaptured(program, rest, options)).stdout.trim()).toMatch(/^E(ACCES|PERM|ROFS)$/);
  });

  describeWithService("postgres", "on Postgres", (service) => {
    it("migrates, answers its health check, serves with keys, works, and stops, writing nothing", async () => {
      const database = await startServer(service);
      onTestFinished(() => database.stop());
      const variables = {
        DATABASE_URL: database.url,
        REPRISE_REQUIRE_KEYS: "true",
        REPRISE_MIGRATE: "never",
        REPRISE_HTTP_ADDR: "127.0.0.1:0",
      };
      const run = (...words: readonly string[]) => {
        const { program, rest, options } = inImage([...entry, ...words], variables);
        return runCaptured(program, rest, options);
      };
      const early = await run(...wordsOfOnly(final as Stage, "CMD"));
      expect([early.code, early.output]).toEqual([1, expect.stringContaining("reprise migrate")]);
      expect(await run("migrate")).toMatchObject({ code: 0, stdout: expect.stringContaining("is up to date.") });
      const { key } = JSON.parse((await run("keys", "create", "--json")).stdout);

      const serve = (role: string): Started => {
        const { program, rest, options } = inImage([...entry, ...wordsOfOnly(final as Stage, "CMD")], {
          ...variables,
          REPRISE_ROLE: role,
        });
        return follow(spawn(program, rest, { ...options, stdio: ["ignore", "pipe", "pipe"] }));
      };
      const [api, worker] = [serve("api"), serve("worker")];
      const [url = ""] = await api.until(/^Reprise serves on (http:\S+)$/);
      const [health = ""] = await worker.until(/(http:\S+)\/ready,/);
      // The health check of the image, on the ports that were free here.
      const check = wordsOfOnly(final as Stage, "HEALTHCHECK");
      for (const address of [url, health]) {
        const probe = check
          .slice(check.indexOf("CMD") + 1)
          .map((word) => word.replace("http://127.0.0.1:8080", address));
        const { program, rest, options } = inImage(probe, {});
        expect(await runCaptured(program, rest, options)).toMatchObject({ code: 0 });
      }
      expect((await post(`${url}/v1/runs`, says("editor", "first"))).status).toBe(401);
      const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
      const answer = await fetch(`${url}/v1/runs`, {
        method: "POST",
        headers,
        body: JSON.stringify(says("editor", "first")),
      });
      expect(await answer.text()).toContain("The picture is resized.");
      expect([await api.stop(), await worker.stop()]).toEqual([0, 0]);
      expect(readdirSync(join(root, "app")).toSorted()).not.toContain("threads");
    });
  });
});
