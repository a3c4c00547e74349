import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { answers, call, openChatPage, say, threadOf, untilIdle } from "./support/chat-page.ts";
import { playCrashStory } from "./support/crash-story.ts";
import { type StartedServer, startServer } from "./support/start-server.ts";

describeWithService("chromium", "the page when its server is killed and started again", ({ binary }) => {
  const folder = mkdtempSync(join(tmpdir(), "reprise-restart-"));
  let browser: Browser;
  let server: StartedServer;
  beforeAll(async () => {
    server = await startServer({ folder });
    browser = await chromium.launch({ executablePath: binary, args: ["--no-sandbox"] });
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  const restart = async (): Promise<void> => {
    server = await startServer({ folder, port: server.port });
  };

  /** A process that comes back takes its runs up once their lease is over. The browser logs every failed connection. */
  const openPage = (): Promise<Page> =>
    openChatPage(browser, server.url, { timeoutMs: 25_000, expected: /Failed to load resource|net::ERR_/ });

  it("reconnects by itself, and an approval continues the run of the killed server", async () => {
    const page = await openPage();
    await playCrashStory({ page, kill: () => server.kill(), restart });
    expect(await answers(page)).toEqual([
      "I will use the tool calculator.",
      "12 * 7 = 84",
      "I will use the tool sendEmail.",
      "You agreed to the mail to ann@example.com. A demonstration: nothing was sent.",
    ]);
    // What the page shows is what the server has.
    const shown = await answers(page);
    await page.reload();
    await page.getByText("You agreed to the mail to ann@example.com.").waitFor();
    expect(await answers(page)).toEqual(shown);
  }, 90_000);

  it("continues a run that was killed at work, and shows nothing twice", async () => {
    const page = await openPage();
    await say(page, "do something slow");
    await call(page, "slowTask")
      .getByText(/step \d/)
      .waitFor();
    await server.kill();
    await page.getByText("Reconnecting…").waitFor();
    await restart();
    await page.getByText("Reconnecting…").waitFor({ state: "hidden" });
    await page.getByText("The slow task is done, in 10 steps.").waitFor();
    await untilIdle(page);
    expect(await answers(page)).toEqual(["I will use the tool slowTask.", "The slow task is done, in 10 steps."]);
    expect(await page.getByRole("article").count()).toBe(1);
  }, 90_000);

  it("sends a message once that was written while the server was away", async () => {
    const page = await openPage();
    await say(page, "echo one");
    await page.getByText("one", { exact: true }).waitFor();
    await untilIdle(page);
    await server.kill();
    await say(page, "echo two");
    await page.getByText("Reconnecting…").waitFor();
    await restart();
    await page.getByText("two", { exact: true }).waitFor();
    await untilIdle(page);
    expect(await page.locator(".said.user").allTextContents()).toEqual(["echo one", "echo two"]);
    const thread = threadOf(page);
    const { total } = await (await fetch(`${server.url}/v1/runs?thread_id=${thread}`)).json();
    expect(total).toBe(2);
  }, 90_000);

  it("sends a decision once that was made while the server was away", async () => {
    const page = await openPage();
    await say(page, "send a mail to ann@example.com saying hi");
    const approve = call(page, "sendEmail").getByRole("button", { name: "Approve" });
    await approve.waitFor();
    await server.kill();
    await approve.click();
    await page.getByText("Reconnecting…").waitFor();
    await restart();
    await page.getByText("You agreed to the mail to ann@example.com.").waitFor();
    await untilIdle(page);
    expect(await page.getByRole("article").count()).toBe(1);
  }, 90_000);
});
