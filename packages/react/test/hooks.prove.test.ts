import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { componentsOf, readBlocks } from "../../../test/support/documents/read-blocks.ts";
import { listenDemo, openDemo } from "../../server/test/support/open-demo.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const PAGE = fileURLToPath(new URL("./page/page.tsx", import.meta.url));

/** The page with the hooks, as a browser loads it. */
async function buildPage(): Promise<string> {
  const outDir = mkdtempSync(join(tmpdir(), "reprise-hooks-"));
  try {
    await build({
      configFile: false,
      logLevel: "error",
      resolve: { conditions: ["reprise-source", "module", "browser", "production"] },
      oxc: { jsx: { runtime: "automatic", development: false } },
      define: { "process.env.NODE_ENV": '"production"' },
      build: { outDir, emptyOutDir: true, lib: { entry: PAGE, formats: ["es"], fileName: "page" }, minify: false },
    });
    const [file = ""] = readdirSync(outDir).filter((name) => name.endsWith(".js"));
    return readFileSync(join(outDir, file), "utf8");
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}

it("the component of the page, and the one that the tests show, have sound types", () => {
  const page = "docs/how-to/build-a-page-with-react.md";
  const [component] = componentsOf(readBlocks(page, readFileSync(join(ROOT, page), "utf8")));
  const file = fileURLToPath(new URL("./page/of-a-page.tsx", import.meta.url));
  onTestFinished(() => rmSync(file, { force: true }));
  writeFileSync(file, component?.content ?? "");
  const settings =
    "--ignoreConfig --noEmit --strict --exactOptionalPropertyTypes --target esnext --module nodenext --jsx react-jsx --customConditions reprise-source --allowImportingTsExtensions --skipLibCheck";
  const program = join(ROOT, "node_modules/typescript/bin/tsc");
  const ended = spawnSync(process.execPath, [program, ...settings.split(" "), file, PAGE], {
    cwd: ROOT,
    encoding: "utf8",
  });
  expect([ended.status, ended.stdout]).toEqual([0, ""]);
}, 60_000);

describeWithService("chromium", "the hooks in a browser", ({ binary }) => {
  let browser: Browser;
  let script = "";
  beforeAll(async () => {
    [browser, script] = await Promise.all([
      chromium.launch({ executablePath: binary, args: ["--no-sandbox"] }),
      buildPage(),
    ]);
  }, 120_000);
  afterAll(() => browser.close());

  async function openPage(thread = "t", demo?: Awaited<ReturnType<typeof openDemo>>) {
    const html =
      '<!doctype html><title>Hooks</title><div id="root"></div><script type="module" src="/hooks.js"></script>';
    const pages = [
      { path: "/hooks", contentType: "text/html; charset=utf-8", content: html },
      { path: "/hooks.js", contentType: "text/javascript; charset=utf-8", content: script },
    ];
    const opened = demo ?? (await openDemo({ pages }));
    const { url } = await listenDemo(opened.server);
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    onTestFinished(() => expect(errors).toEqual([]));
    await page.goto(`${url}/hooks?thread=${thread}`);
    await page.getByLabel("Status").getByText("idle").waitFor();
    return { ...opened, page, context, url };
  }

  const say = async (page: Page, text: string): Promise<void> => {
    await page.getByRole("textbox", { name: "Message" }).fill(text);
    await page.getByRole("textbox", { name: "Message" }).press("Enter");
  };

  it("chat in a thread that is still there after a reload", async () => {
    const { page } = await openPage();
    await say(page, "hello");
    await page.getByText("assistant: You said: hello").waitFor();
    await page.getByLabel("Status").getByText("idle").waitFor();
    await page.reload();
    await page.getByText("assistant: You said: hello").waitFor();
    expect(await page.getByLabel("Messages").locator("li").count()).toBe(2);
  });

  it("show a question with its arguments, and send the decision about it", async () => {
    const { page, runtime } = await openPage();
    await say(page, "pay 5");
    await page.getByLabel("Status").getByText("waiting").waitFor();
    await page.getByText("pay needs_approval").waitFor();
    await page.getByLabel("Timeline").getByText("wait pay waiting").waitFor();
    expect(await page.getByRole("group", { name: "pay" }).textContent()).toContain('{"amount":5}');
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByText("assistant: Done.").waitFor();
    const { items } = await runtime.runs();
    expect((await runtime.calls({ runId: items[0]?.run_id ?? "" })).items[0]?.arguments).toEqual({ amount: 1 });
  });

  it("find a run under way after a reload, show it live, and stop it", async () => {
    const { page } = await openPage();
    await say(page, "stall");
    await page.getByLabel("Answer").getByText("Wait").waitFor();
    await page.reload();
    await page.getByLabel("Answer").getByText("Wait").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByLabel("Status").getByText("idle").waitFor();
  });

  it("go on after the network was away", async () => {
    const { page, context } = await openPage();
    await say(page, "stall");
    await page.getByLabel("Answer").getByText("Wait").waitFor();
    await context.setOffline(true);
    await context.setOffline(false);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByLabel("Status").getByText("idle").waitFor();
    await say(page, "hello");
    await page.getByText("assistant: You said: hello").waitFor();
  });

  it("say what went wrong", async () => {
    const { page } = await openPage();
    await say(page, "fail");
    await page.getByLabel("Status").getByText("failed").waitFor();
    expect(await page.getByRole("alert").textContent()).toContain("invalid_request");
  });
});
