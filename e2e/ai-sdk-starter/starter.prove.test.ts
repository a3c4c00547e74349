import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { listFiles, ROOT } from "../../scripts/repository.mjs";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { componentsOf, readBlocks } from "../../test/support/documents/read-blocks.ts";
import { type ChatServer, startChat } from "../ai-sdk-server/support/start-chat.ts";
import { startServer } from "../studio/support/start-server.ts";
import { installStarter, runInStarter, STARTER } from "./support/install-starter.ts";
import { type ServedStarter, serveStarter } from "./support/serve-starter.ts";

installStarter();

/** Where a page attaches to what is under way. */
const STREAM = /\/stream$/;

describe("the starter", () => {
  it("has sound types, and so have the components that pages show", () => {
    const pages = listFiles(ROOT)
      .filter((path) => /^(README\.md|docs\/.*\.md)$/.test(path))
      // Its pieces are lines of another starter, which `test/client-pages.test.ts` compares them with.
      .filter((path) => path !== "docs/how-to/integrate-copilotkit.md");
    const components = pages
      .flatMap((page) => componentsOf(readBlocks(page, readFileSync(join(ROOT, page), "utf8"))))
      // Components with the hooks are checked by the tests of their package.
      .filter(({ content }) => !content.includes('"@reprise/react"'));
    expect(components.map(({ file }) => file)).toEqual(
      expect.arrayContaining(["README.md", "docs/how-to/integrate-ai-sdk.md"]),
    );
    for (const [index, { content }] of components.entries()) {
      const file = join(STARTER, `src/of-a-page-${index}.tsx`);
      onTestFinished(() => rmSync(file, { force: true }));
      writeFileSync(file, content);
    }
    runInStarter(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "."]);
  });
});

describeWithService("chromium", "the starter in a browser", ({ binary }) => {
  const folder = mkdtempSync(join(tmpdir(), "reprise-starter-"));
  let browser: Browser | undefined;
  let server: ChatServer | undefined;
  let starter: ServedStarter | undefined;
  beforeAll(async () => {
    runInStarter(process.execPath, ["node_modules/vite/bin/vite.js", "build"]);
    server = await startChat(join(folder, "chat.db"), 20);
    starter = await serveStarter(server.url);
    browser = await chromium.launch({ executablePath: binary, args: ["--no-sandbox"] });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    starter?.stop();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 30_000);

  /** A fresh browser on a new chat. Every error in its page fails the test, unless it is expected. */
  async function openStarter(expected?: RegExp, url: string = starter?.url ?? ""): Promise<Page> {
    const context = await (browser as Browser).newContext({ viewport: { width: 1100, height: 760 } });
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" && expected?.test(message.text()) !== true) problems.push(message.text());
    });
    onTestFinished(async () => {
      await context.close();
      expect(problems).toEqual([]);
    });
    // A page asks what is under way when it is loaded.
    await Promise.all([page.waitForResponse(STREAM), page.goto(url)]);
    return page;
  }

  async function say(page: Page, text: string): Promise<void> {
    await page.getByRole("textbox", { name: "Message" }).fill(text);
    await page.keyboard.press("Enter");
  }

  const answers = (page: Page) => page.getByRole("article", { name: "Assistant" });

  it("streams an answer, and continues it when the page is loaded again", async () => {
    const page = await openStarter();
    await say(page, "hold chat-1");
    await answers(page).getByText("One two").waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    // In the middle of the answer: it continues where it was.
    await page.reload();
    await answers(page).getByText("One two").waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await server?.release("chat-1");
    await answers(page).getByText("One two three four.").waitFor();
    await page.getByRole("button", { name: "Send" }).waitFor();
    expect(await answers(page).count()).toBe(1);
    const link = page.getByRole("navigation").getByRole("link", { name: "hold chat-1" });
    await link.waitFor();
    await page.getByRole("button", { name: "New chat" }).click();
    await page.getByText("Say hello").waitFor();
    await link.click();
    await answers(page).getByText("One two three four.").waitFor();
  });

  it("asks for approval with the exact arguments, and does what the person decides", async () => {
    const page = await openStarter();
    await say(page, "pay Ada and Bob");
    const dialog = page.getByRole("dialog", { name: "May wire run?" });
    await dialog.getByText('"to": "Ada"').waitFor();
    expect(await dialog.textContent()).toContain("1 more to decide");
    // The agent has no permission plugin, which alone can remember an answer.
    expect(await dialog.getByRole("combobox").count()).toBe(0);
    // The question is the server's: it is there again when the page is loaded anew.
    await page.reload();
    await dialog.getByText('"to": "Ada"').waitFor();
    expect(await dialog.locator("pre").textContent()).toBe(JSON.stringify({ to: "Ada", amount: 5 }, null, 2));
    await dialog.getByRole("button", { name: "Approve" }).click();
    await dialog.getByText('"to": "Bob"').waitFor();
    await dialog.getByRole("button", { name: "Deny" }).click();
    await answers(page).getByText("That is settled.").waitFor();
    expect(await dialog.count()).toBe(0);
    expect(await answers(page).locator("summary").allTextContents()).toEqual(["wire is done", "wire was denied"]);
    expect(await answers(page).count()).toBe(1);
  });

  it("remembers an answer for the thread, or for all threads, as the person chooses", async () => {
    const demo = await startServer({ folder: join(folder, "ruled") });
    onTestFinished(() => demo.stop());
    const served = await serveStarter(demo.url);
    onTestFinished(() => served.stop());
    // With another agent the new chat is loaded again, of which the server knows nothing yet.
    const page = await openStarter(/404/, served.url);
    // A chat asks what is under way when it is opened: what is said before that is said in the chat before it.
    const opened = (open: Promise<unknown>) => Promise.all([page.waitForResponse(STREAM), open]);
    const openChat = () => opened(page.getByRole("button", { name: "New chat" }).click());
    const dialog = page.getByRole("dialog", { name: "May finish run?" });
    const calls = answers(page).locator("summary");
    /** Each has other arguments: only a remembered answer can be about the next one. */
    const ask = (summary: string) => say(page, `call finish {"summary": "${summary}"}`);
    const isDone = async (count: number): Promise<void> => {
      const done = Array.from({ length: count }, () => "finish is done");
      await expect.poll(() => calls.allTextContents(), { timeout: 15_000 }).toEqual(done);
      // The answer is whole: before that, the page takes no other message.
      await page.getByRole("button", { name: "Send" }).waitFor();
    };
    const decide = async (reach: string): Promise<void> => {
      await dialog.getByRole("combobox", { name: "The answer about finish counts" }).selectOption(reach);
      await dialog.getByRole("button", { name: "Approve" }).click();
    };
    await opened(page.getByRole("combobox", { name: "Agent" }).selectOption("ruled"));

    await ask("one");
    await decide("for this call");
    await isDone(1);
    await ask("two");
    await decide("for this thread");
    await isDone(2);
    await ask("three");
    await isDone(3);

    await openChat();
    await ask("four");
    await decide("always");
    await isDone(1);

    await openChat();
    await ask("five");
    await isDone(1);
    expect(await dialog.count()).toBe(0);
  }, 90_000);

  it("shows the card of an MCP tool with the page of its server, also after the page is loaded again", async () => {
    const demo = await startServer({
      folder: join(folder, "demo"),
      env: { MCP_SERVER_CMD: `"${process.execPath}" examples/15-mcp/server.ts` },
    });
    onTestFinished(() => demo.stop());
    const served = await serveStarter(demo.url);
    onTestFinished(() => served.stop());
    const page = await openStarter(undefined, served.url);
    await say(page, 'call mcp__mcp_demo__forecast {"city": "Lisbon"}');
    const card = page.getByRole("figure").filter({ hasText: "forecast of the MCP server mcp_demo" });
    const weather = card.frameLocator("iframe").getByRole("heading", { name: "Weather" });
    await weather.waitFor();
    await page.getByRole("button", { name: "Send" }).waitFor();
    await page.reload();
    await weather.waitFor();
    // The page of a server runs nothing, and reaches nothing.
    expect(await card.locator("iframe").getAttribute("sandbox")).toBe("");
  }, 60_000);

  it("replaces an answer when the person asks for another", async () => {
    const page = await openStarter();
    await say(page, "hello");
    const button = page.getByRole("button", { name: "Regenerate" });
    await button.waitFor();
    const first = await answers(page).locator(".text").textContent();
    await button.click();
    const isNew = async (): Promise<boolean> => {
      const text = (await answers(page).locator(".text").textContent()) ?? "";
      return text !== first && /^You said: hello \(answer \d+\)$/.test(text);
    };
    await expect.poll(isNew).toBe(true);
    await button.waitFor();
    expect(await answers(page).count()).toBe(1);
    await page.reload();
    await button.waitFor();
    expect(await page.getByRole("article").count()).toBe(2);
  });

  it("reads a message again after the server withdrew it", async () => {
    const page = await openStarter();
    const attaching = page.waitForRequest(STREAM);
    // As when the first server died: a few words came, then the news that they do not count.
    await page.route(
      "**/runs",
      async (route) => {
        const runId = crypto.randomUUID();
        const body = JSON.stringify({ ...route.request().postDataJSON(), runId });
        const headers = { "content-type": "application/json" };
        const started = await fetch(`${server?.url}/v1/ai-sdk/agents/assistant/runs`, {
          method: "POST",
          headers,
          body,
        });
        void started.body?.cancel();
        const chunks = [
          { type: "start", messageId: `${runId}-s1-m` },
          { type: "start-step" },
          { type: "text-start", id: "txt_0" },
          { type: "text-delta", id: "txt_0", delta: "No longer true" },
          { type: "data-stream-reset", data: { fromSeq: 1 }, transient: true },
        ];
        const frames = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
        await route.fulfill({ status: 200, headers: { "content-type": "text/event-stream" }, body: frames });
      },
      { times: 1 },
    );
    await say(page, "hold chat-2");
    await attaching;
    await server?.release("chat-2");
    await answers(page).getByText("One two three four.").waitFor();
    expect(await answers(page).count()).toBe(1);
    expect(await answers(page).textContent()).not.toContain("No longer true");
  });

  /** What the browser says of requests while the server is away. */
  const AWAY = /Failed to load resource|ERR_/;

  async function restart(): Promise<void> {
    server = await startChat(join(folder, "chat.db"), 20, Number(new URL(server?.url ?? "").port));
  }

  it("reconnects by itself when the server is killed in the middle of an answer, and shows nothing twice", async () => {
    const page = await openStarter(AWAY);
    await say(page, "hold chat-3");
    await answers(page).getByText("One two").waitFor();
    await server?.kill();
    await page.getByText("Reconnecting…").waitFor();
    await restart();
    await page.getByText("Reconnecting…").waitFor({ state: "hidden" });
    await answers(page).getByText("One two").waitFor();
    await server?.release("chat-3");
    await answers(page).getByText("One two three four.").waitFor();
    await page.getByRole("button", { name: "Send" }).waitFor();
    expect(await answers(page).locator(".text").allTextContents()).toEqual(["One two three four."]);
  }, 90_000);

  it("sends a message and an approval once that were given while the server was away", async () => {
    const page = await openStarter(AWAY);
    await say(page, "hello");
    await page.getByRole("button", { name: "Regenerate" }).waitFor();
    await server?.kill();
    await say(page, "pay Ada");
    await page.getByText("Reconnecting…").waitFor();
    await restart();
    const dialog = page.getByRole("dialog", { name: "May wire run?" });
    await dialog.getByText('"to": "Ada"').waitFor();
    await server?.kill();
    await dialog.getByRole("button", { name: "Approve" }).click();
    await page.getByText("Reconnecting…").waitFor();
    await restart();
    await answers(page).getByText("That is settled.").waitFor();
    expect(await page.getByRole("article").count()).toBe(4);
    const thread = new URL(page.url()).hash.slice(1);
    const { total } = await (await fetch(`${server?.url}/v1/runs?thread_id=${thread}`)).json();
    expect(total).toBe(2);
  }, 90_000);

  it("stops a run, and continues after it", async () => {
    const page = await openStarter();
    await say(page, "stall");
    await answers(page).getByText("Wait").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Send" }).waitFor();
    await expect.poll(async () => (await (await fetch(`${server?.url}/v1/runs?status=running`)).json()).total).toBe(0);
    await say(page, "hello");
    await answers(page).getByText("You said: hello").waitFor();
  });
});
