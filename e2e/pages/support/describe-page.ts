import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ROOT } from "../../../scripts/repository.mjs";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { type Started, servePage, startBackend } from "./start-program.ts";

export interface PageRig {
  /** A fresh browser on a new thread. Every error in its page fails the test. */
  open(options?: BrowserContextOptions): Promise<Page>;
  /** Kills the server as a crash would, and starts it again at its address and with its file. */
  crash(): Promise<void>;
}

interface PageExample {
  /** The folder below `examples`. */
  readonly example: string;
  /** Where its packages are: the repository's own unless given. */
  readonly packages?: string;
  /** The response that says that the page has asked for its thread. */
  readonly ready: RegExp;
}

/** Builds an example page, checks its types, and drives it in a browser against the server of all example pages. */
export function describePage({ example, packages = ROOT, ready }: PageExample, body: (rig: PageRig) => void): void {
  const source = join(ROOT, "examples", example);
  const vite = join(packages, "node_modules/vite/bin/vite.js");

  describe(example, () => {
    it("has sound types", () => run(source, [join(packages, "node_modules/typescript/bin/tsc"), "-p", "."]), 60_000);
  });

  describeWithService("chromium", `${example} in a browser`, ({ binary }) => {
    const folder = mkdtempSync(join(tmpdir(), `reprise-${example}-`));
    const file = join(folder, "pages.db");
    let server: Started | undefined;
    let served: Started | undefined;
    let browser: Browser | undefined;
    beforeAll(async () => {
      run(source, [vite, "build"]);
      server = await startBackend(file);
      served = await servePage(source, vite, server.url);
      browser = await chromium.launch({ executablePath: binary, args: ["--no-sandbox"] });
    }, 240_000);
    afterAll(async () => {
      await browser?.close();
      await served?.stop();
      await server?.stop();
      rmSync(folder, { recursive: true, force: true });
    }, 60_000);

    body({
      async open(options = { viewport: { width: 1200, height: 800 } }) {
        const context = await (browser as Browser).newContext(options);
        context.setDefaultTimeout(30_000);
        const page = await context.newPage();
        const problems: string[] = [];
        page.on("pageerror", (error) => problems.push(error.message));
        onTestFinished(async () => {
          await context.close();
          expect(problems).toEqual([]);
        });
        await Promise.all([page.waitForResponse(ready), page.goto(served?.url ?? "")]);
        return page;
      },
      async crash() {
        await server?.stop("SIGKILL");
        server = await startBackend(file, new URL(server?.url ?? "").port);
      },
    });
  });
}

/** Says something in a page whose button is enabled once the agent listens. */
export async function sayAndSend(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

/** Runs a program in a folder; what it prints is in the error when it fails. */
function run(cwd: string, words: readonly string[]): void {
  try {
    const env = { ...process.env, NODE_ENV: "production" };
    execFileSync(process.execPath, words, { cwd, env, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${words.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}
