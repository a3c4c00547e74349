import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createApiKeys } from "@reprise/server";
import { type Browser, chromium, type Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { listenDemo, openDemo } from "../../packages/server/test/support/open-demo.ts";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { installStarter, STARTER } from "../ai-sdk-starter/support/install-starter.ts";

const PAGE = fileURLToPath(new URL("./page.tsx", import.meta.url));

/** The page with `useChat` of the AI SDK, over the transport of `@reprise/react`. */
async function buildPage(): Promise<string> {
  installStarter();
  const outDir = mkdtempSync(join(tmpdir(), "reprise-chat-"));
  // The official packages are those of the starter. All of the page has one React.
  const official = ["@ai-sdk/react", "ai", "react", "react-dom"].map((name) => ({
    find: new RegExp(`^${name}(?=/|$)`),
    replacement: join(STARTER, "node_modules", name),
  }));
  try {
    await build({
      configFile: false,
      logLevel: "error",
      resolve: { alias: official, conditions: ["reprise-source", "module", "browser", "production"] },
      oxc: { jsx: { runtime: "automatic", development: false } },
      define: { "process.env.NODE_ENV": '"production"' },
      build: {
        outDir,
        emptyOutDir: true,
        target: "esnext",
        lib: { entry: PAGE, formats: ["es"], fileName: "page" },
        minify: false,
      },
    });
    const [file = ""] = readdirSync(outDir).filter((name) => name.endsWith(".js"));
    return readFileSync(join(outDir, file), "utf8");
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}

describeWithService("chromium", "useChat over the transport of @reprise/react, in a browser", ({ binary }) => {
  let browser: Browser;
  let script = "";
  beforeAll(async () => {
    script = await buildPage();
    browser = await chromium.launch({ executablePath: binary, args: ["--no-sandbox"] });
  }, 300_000);
  afterAll(() => browser?.close());

  async function openPage(query = "", more: Parameters<typeof openDemo>[0] = {}) {
    const html =
      '<!doctype html><title>Chat</title><div id="root"></div><script type="module" src="/chat.js"></script>';
    const pages = [
      { path: "/chat", contentType: "text/html; charset=utf-8", content: html },
      { path: "/chat.js", contentType: "text/javascript; charset=utf-8", content: script },
    ];
    const demo = await openDemo({ pages, ...more });
    const { url } = await listenDemo(demo.server);
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const errors: string[] = [];
    const bodies: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("request", (request) => {
      if (request.method() === "POST") bodies.push(request.postData() ?? "");
    });
    onTestFinished(() => expect(errors).toEqual([]));
    await page.goto(`${url}/chat${query}`);
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    return { ...demo, page, bodies, url };
  }

  const say = async (page: Page, text: string): Promise<void> => {
    await page.getByRole("textbox", { name: "Message" }).fill(text);
    await page.getByRole("textbox", { name: "Message" }).press("Enter");
  };

  it("chats, sends only what is new, and has the thread after a reload", async () => {
    const { page, bodies, runtime } = await openPage();
    await say(page, "hello");
    await page.getByText("assistant: You said: hello").waitFor();
    await say(page, "again");
    await page.getByText("assistant: You said: again").waitFor();
    expect(bodies.map((body) => JSON.parse(body).messages.length)).toEqual([1, 1]);
    expect((await runtime.threads.messages("t")).messages).toHaveLength(4);
    await page.reload();
    await page.getByText("assistant: You said: again").waitFor();
    expect(await page.getByLabel("Messages").locator("li").count()).toBe(4);
  });

  it.each([
    ["Approve", "succeeded"],
    ["Deny", "cancelled"],
  ])("asks, and %s continues the same run", async (name, status) => {
    const { page, runtime } = await openPage();
    await say(page, "pay 5");
    await page.getByRole("group", { name: "Question" }).getByText('{"amount":5}').waitFor();
    await page.getByRole("button", { name }).click();
    await page.getByText("Done.").waitFor();
    const { items, total } = await runtime.runs();
    expect(total).toBe(1);
    const [call] = (await runtime.calls({ runId: items[0]?.run_id ?? "" })).items;
    expect(call?.status).toBe(status);
  });

  it("is asked again after a reload, and follows a run that is under way", async () => {
    const { page, runtime } = await openPage();
    await say(page, "pay 5");
    await page.getByRole("button", { name: "Approve" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("Done.").waitFor();
    await say(page, "stall");
    await page.getByText("assistant: Wait").waitFor();
    await page.reload();
    await page.getByLabel("Status").getByText("streaming").waitFor();
    await page.getByText("assistant: Wait").waitFor();
    const [run] = (await runtime.runs({ status: "running" })).items;
    await (await runtime.run(run?.run_id ?? "")).cancel();
    await page.getByLabel("Status").getByText("ready").waitFor();
  });

  it("has another answer written", async () => {
    const { page, runtime } = await openPage();
    await say(page, "hello");
    await page.getByText("assistant: You said: hello").waitFor();
    await page.getByLabel("Status").getByText("ready").waitFor();
    await page.getByRole("button", { name: "Again" }).click();
    await expect.poll(async () => (await runtime.runs({ status: "done" })).total).toBe(2);
    await page.getByText("assistant: You said: hello").waitFor();
    expect(await page.getByLabel("Messages").locator("li").count()).toBe(2);
  });

  it("sends its credential, and shows why a request was refused", async () => {
    let keys: ReturnType<typeof createApiKeys> | undefined;
    const authenticate = async (given: Headers) => keys?.authenticate(given);
    const { page, runtime, url } = await openPage("", { authenticate });
    keys = createApiKeys(runtime);
    await say(page, "hello");
    await page.getByRole("alert").getByText("a valid credential is required").waitFor();
    const { key } = await keys.create({ name: "page", scopes: ["run", "read", "decide"] });
    await page.goto(`${url}/chat?token=${key}`);
    await say(page, "hello");
    await page.getByText("assistant: You said: hello").waitFor();
  });
});
