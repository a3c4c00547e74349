import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ModelServer, type ServerTurn, startModelServer } from "@reprise/testkit/model-server";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { openChatPage, say, untilIdle } from "./support/chat-page.ts";
import { type StartedServer, startServer } from "./support/start-server.ts";

const ANSWER = `## Plan

Use **bold**, \`code\` and [a link](https://example.com/a).

1. one
2. two

\`\`\`ts
const html = "<b>";
\`\`\`

<script>document.title = "hacked"</script> [no](javascript:alert(1)) ![pixel](https://example.com/p.png)

| a | b |
|---|--:|
| 1 | 2 |
`;

const REFUSED: ServerTurn = { status: 400, body: { error: { message: "bad request", type: "invalid_request_error" } } };

describeWithService("chromium", "the page with a model that does what it is told", ({ binary }) => {
  const folder = mkdtempSync(join(tmpdir(), "reprise-model-text-"));
  let models: ModelServer;
  let server: StartedServer;
  let browser: Browser;
  /** How the model answers next. */
  let turn: ServerTurn = "";
  beforeAll(async () => {
    models = await startModelServer(() => turn);
    const env = { OPENAI_BASE_URL: `${models.url}/v1`, OPENAI_API_KEY: "sk-planted" };
    server = await startServer({ folder, env });
    browser = await chromium.launch({ executablePath: binary, args: ["--no-sandbox"] });
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await server.stop();
    await models.close();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  const openPage = (): Promise<Page> => openChatPage(browser, server.url);

  it("draws Markdown, and leaves HTML and unsafe links text", async () => {
    const page = await openPage();
    turn = [{ text: ANSWER.match(/.{1,7}/gs) ?? [] }];
    await say(page, "go");
    await untilIdle(page);
    const answer = page.locator(".said.assistant");
    const expectDrawn = async (): Promise<void> => {
      await answer.getByRole("heading", { name: "Plan" }).waitFor();
      expect(await answer.locator("strong").textContent()).toBe("bold");
      expect(await answer.locator("ol > li").allTextContents()).toEqual(["one", "two"]);
      expect(await answer.locator("pre[data-language=ts]").textContent()).toBe('const html = "<b>";');
      expect(await answer.locator("td").allTextContents()).toEqual(["1", "2"]);
      expect(await answer.locator("a").evaluateAll((links) => links.map((link) => link.getAttribute("href")))).toEqual([
        "https://example.com/a",
        "https://example.com/p.png",
      ]);
      expect(await answer.locator("script, img, b").count()).toBe(0);
      expect(await answer.textContent()).toContain(
        '<script>document.title = "hacked"</script> [no](javascript:alert(1))',
      );
    };
    await expectDrawn();
    await page.reload();
    await expectDrawn();
    expect(await page.title()).toBe("Reprise");
  });

  it("shows the error of a model once, and retries the same message", async () => {
    const page = await openPage();
    turn = REFUSED;
    await say(page, "go");
    const failure = page.locator(".failure");
    await failure.waitFor();
    expect(
      await page
        .getByRole("log")
        .getByText(/refused the request/)
        .count(),
    ).toBe(1);
    // The error is there again after a reload, and so is the way to try again.
    await page.reload();
    await failure.waitFor();
    const first = await failure.elementHandle();
    await failure.getByRole("button", { name: "Retry" }).click();
    await first?.waitForElementState("hidden");
    await failure.waitFor();
    expect(await failure.count()).toBe(1);
    turn = "All is well.";
    await failure.getByRole("button", { name: "Retry" }).click();
    await page.getByText("All is well.").waitFor();
    expect(await failure.count()).toBe(0);
    const expectOnce = async (): Promise<void> => {
      expect(await page.locator(".said").allTextContents()).toEqual(["go", "All is well."]);
      expect(await failure.count()).toBe(0);
    };
    await expectOnce();
    await untilIdle(page);
    await page.reload();
    await page.getByText("All is well.").waitFor();
    await expectOnce();
  });

  it("queues messages that are sent during a run, also over a reload, and takes one back", async () => {
    const page = await openPage();
    turn = [{ text: "Wait " }, { stall: true }];
    await say(page, "go");
    await page.getByText("Wait", { exact: true }).waitFor();
    const queued = page.getByRole("group", { name: "Queued message" });
    await say(page, "one more");
    await queued.getByText("Queued: sent when this run is done.").waitFor();
    await say(page, "never");
    await queued.getByText("never").waitFor();
    await queued.last().getByRole("button", { name: "Remove" }).click();
    await queued.getByText("never").waitFor({ state: "hidden" });
    await page.reload();
    await queued.getByText("one more").waitFor();
    await page.getByText("Wait", { exact: true }).waitFor();
    turn = "All is well.";
    await page.keyboard.press("Escape");
    await page.getByText("All is well.").waitFor();
    await untilIdle(page);
    expect(await page.locator(".said.user").allTextContents()).toEqual(["go", "one more"]);
    expect(await queued.count()).toBe(0);
  });
});
