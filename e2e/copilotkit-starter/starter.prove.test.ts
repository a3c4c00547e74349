import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ROOT } from "../../scripts/repository.mjs";
import { describeWithService } from "../../test/support/describe-with-service.ts";

const STARTER = join(ROOT, "examples/copilotkit-starter");
const VITE = "node_modules/vite/bin/vite.js";

/** Runs a program in the starter's folder; what it prints is in the error when it fails. */
function runInStarter(program: string, words: readonly string[]): void {
  try {
    const env = { ...process.env, NODE_ENV: "production" };
    execFileSync(program, words, { cwd: STARTER, env, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${program} ${words.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

/** The version of CopilotKit in a lockfile of the starter. */
function versionIn(lockfile: string): string | undefined {
  const file = join(STARTER, lockfile);
  if (!existsSync(file)) return undefined;
  return JSON.parse(readFileSync(file, "utf8")).packages["node_modules/@copilotkit/react-core"]?.version;
}

if (versionIn("node_modules/.package-lock.json") !== versionIn("package-lock.json")) {
  console.error("examples/copilotkit-starter: installing its packages with npm ci (once, about 300 MB)");
  runInStarter("npm", ["ci", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund"]);
}

/** Starts a program that says where it listens with its first line that is an address. */
async function start(words: readonly string[], cwd: string, variables: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, words, {
    cwd,
    env: { ...process.env, NO_COLOR: "1", ...variables },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  for await (const line of createInterface(child.stdout)) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (url === undefined) continue;
    const stop = async (): Promise<void> => {
      child.kill("SIGTERM");
      await ended;
    };
    return { url, stop };
  }
  throw new Error(`${words.join(" ")} ended without an address.`);
}

describe("the starter", () => {
  it("has sound types", () => runInStarter(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "."]));
});

describeWithService("chromium", "the starter in a browser", ({ binary }) => {
  const folder = mkdtempSync(join(tmpdir(), "reprise-copilotkit-"));
  const stops: (() => Promise<void>)[] = [];
  let browser: Browser | undefined;
  let url = "";
  beforeAll(async () => {
    runInStarter(process.execPath, [VITE, "build"]);
    const program = ["--conditions=reprise-source", join(STARTER, "server.ts"), join(folder, "canvas.db"), "0"];
    const server = await start(program, ROOT);
    stops.push(server.stop);
    const page = await start([VITE, "preview", "--host", "127.0.0.1", "--port", "0"], STARTER, {
      REPRISE_URL: server.url,
    });
    stops.push(page.stop);
    url = page.url;
    browser = await chromium.launch({ executablePath: binary, args: ["--no-sandbox"] });
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    for (const stop of stops.reverse()) await stop();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  async function openStarter(): Promise<Page> {
    const context = await (browser as Browser).newContext({ viewport: { width: 1200, height: 800 } });
    context.setDefaultTimeout(30_000);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    onTestFinished(async () => {
      await context.close();
      expect(problems).toEqual([]);
    });
    await Promise.all([page.waitForResponse(/\/stream\?/), page.goto(url)]);
    return page;
  }

  async function say(page: Page, text: string): Promise<void> {
    await page.getByRole("textbox").fill(text);
    await page.keyboard.press("Enter");
  }

  const shapesOn = (page: Page) => page.getByRole("region", { name: "Canvas" }).getByRole("listitem");

  it("chats, and shows the thread again when it is loaded again", async () => {
    const page = await openStarter();
    await say(page, "hello");
    await page.getByText("You said: hello").waitFor();
    await page.reload();
    await page.getByText("You said: hello").waitFor();
  });

  it("shares the canvas: what the page draws reaches the agent, and what the agent draws the page", async () => {
    const page = await openStarter();
    await page.getByRole("button", { name: "Draw a square" }).click();
    await say(page, "draw");
    await shapesOn(page).filter({ hasText: "circle" }).waitFor();
    expect(await shapesOn(page).allTextContents()).toEqual(["square", "circle"]);
    await page.reload();
    await shapesOn(page).filter({ hasText: "circle" }).waitFor();
    expect(await shapesOn(page).allTextContents()).toEqual(["square", "circle"]);
  });

  it("executes a tool in the page, and the agent continues with its result", async () => {
    const page = await openStarter();
    await say(page, "zoom");
    await page.getByText("Zoom 2").waitFor();
    await page.getByText("Done.").waitFor();
  });

  it("asks before the canvas is cleared, also after it was loaded again", async () => {
    const page = await openStarter();
    await say(page, "draw");
    await shapesOn(page).filter({ hasText: "circle" }).waitFor();
    await page.getByText("Done.").waitFor();
    await say(page, "clear");
    await page.getByRole("button", { name: "Approve" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Approve" }).click();
    await shapesOn(page).first().waitFor({ state: "detached" });
  });

  it("follows a run that is under way when it is loaded again", async () => {
    const page = await openStarter();
    await say(page, "think");
    await page.getByText("Let me think.").waitFor();
    await page.reload();
    await page.getByText("Let me think.").waitFor();
  });
});
