import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { createRuntime, memory, type Runtime } from "reprise";
import { evaluations } from "reprise/evals";
import { createServer } from "reprise/server";
import { listen, studio } from "reprise/server/node";
import { expect, onTestFinished } from "vitest";

type Options = NonNullable<Parameters<typeof createRuntime>[0]>;

/** A studio on a server of its own, with agents that do what they are told. */
export interface OpenStudio {
  readonly url: string;
  readonly runtime: Runtime;
  readonly browser: Browser;
  close(): Promise<void>;
}

export async function openStudio(
  binary: string,
  agents: NonNullable<Options["agents"]>,
  options: Pick<Options, "providers" | "models"> = {},
): Promise<OpenStudio> {
  const runtime = await createRuntime({ agents, store: memory(), ...options });
  const [listening, browser] = await Promise.all([
    listen(createServer({ runtime, pages: studio(), evals: evaluations() }), { port: 0 }),
    chromium.launch({ executablePath: binary, args: ["--no-sandbox"] }),
  ]);
  return {
    url: listening.url,
    runtime,
    browser,
    async close() {
      await browser.close();
      await listening.close();
      await runtime.close();
    },
  };
}

/** Opens an address of the studio. An error in the page or its console fails the test. */
export async function openScreen(
  { browser, url }: Pick<OpenStudio, "browser" | "url">,
  path: string,
  options: BrowserContextOptions & { readonly expected?: RegExp } = {},
): Promise<Page> {
  const { expected, ...own } = options;
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...own });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    const said = `${message.text()} ${message.location().url}`;
    if (message.type() === "error" && expected?.test(said) !== true) problems.push(said);
  });
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  await page.goto(url + path);
  return page;
}
