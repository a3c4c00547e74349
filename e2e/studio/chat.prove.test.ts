import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { answers, call, type OpenPageOptions, openChatPage, say, threadOf, untilIdle } from "./support/chat-page.ts";
import { type StartedServer, startServer } from "./support/start-server.ts";

describeWithService("chromium", "the chat of the studio", ({ binary }) => {
  const folder = mkdtempSync(join(tmpdir(), "reprise-start-"));
  let server: StartedServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([
      startServer({ folder }),
      chromium.launch({ executablePath: binary, args: ["--no-sandbox"] }),
    ]);
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  /** A request that the server refuses is reported in the page; the browser logs it too. */
  const openPage = (options: OpenPageOptions = {}): Promise<Page> =>
    openChatPage(browser, server.url, { expected: /status of (401|404|422)/, ...options });

  it("chats with a tool and an approval without a key, and continues after a reload", async () => {
    const page = await openPage();
    await say(page, "what is 12 * 7");
    await page.getByText("12 * 7 = 84").waitFor();
    await say(page, "send a mail to ann@example.com saying <b>lunch</b>");
    const sendEmail = call(page, "sendEmail");
    await sendEmail.getByRole("button", { name: "Approve" }).waitFor();
    // The exact arguments are in sight before somebody agrees to them, as text.
    expect(await sendEmail.getByLabel("Arguments of sendEmail").textContent()).toContain('"<b>lunch</b>"');
    await page.reload();
    await page.getByText("12 * 7 = 84").waitFor();
    expect(await page.locator("b").count()).toBe(0);
    await page.getByRole("navigation", { name: "Threads" }).getByText("needs approval").first().waitFor();
    const approve = sendEmail.getByRole("button", { name: "Approve" });
    await approve.waitFor();
    expect(await page.title()).toBe("Needs approval · Reprise");
    await approve.click();
    await page.getByText("You agreed to the mail to ann@example.com.").waitFor();
    await say(page, "what did I say first?");
    await page.getByText("The first was: what is 12 * 7").waitFor();
  });

  it("has a newcomer chat, approve a tool, rewind three steps, fork and compare, with what is in sight alone", async () => {
    const page = await openPage({ viewport: { width: 1280, height: 800 } });
    await say(page, "what is 12 * 7");
    await page.getByText("12 * 7 = 84").waitFor();
    await untilIdle(page);
    await say(page, "send a mail to ann@example.com saying lunch is at noon");
    await call(page, "sendEmail").getByRole("button", { name: "Approve" }).click();
    await page.getByText("You agreed to the mail to ann@example.com.").waitFor();
    await untilIdle(page);
    const original = threadOf(page);
    await page.getByRole("slider", { name: "Version" }).focus();
    for (let steps = 0; steps < 3; steps += 1) await page.keyboard.press("ArrowLeft");
    await page.getByRole("group", { name: "Earlier version" }).waitFor();
    await page.locator(".later", { hasText: "You agreed to the mail" }).waitFor();
    await page.getByRole("button", { name: "Fork from here" }).click();
    await page.waitForURL((address) => !address.pathname.endsWith(original));
    expect(await page.getByText("You agreed to the mail").count()).toBe(0);
    await say(page, "what is 2 + 3");
    await page.getByText("2 + 3 = 5").waitFor();
    await page.getByRole("button", { name: "Compare with the original" }).click();
    await page.getByRole("heading", { name: "Compare" }).waitFor();
    await page.getByText(/They differ from step \d+ on/).waitFor();
  }, 90_000);

  it("shows the arguments that a person edited, and what changed, also after a reload", async () => {
    const page = await openPage();
    await page.getByRole("combobox", { name: "Agent" }).selectOption("approver");
    await say(page, "hello");
    const sendEmail = call(page, "sendEmail");
    await sendEmail.getByRole("button", { name: "Edit…" }).click();
    const field = page.getByRole("textbox", { name: "New arguments of sendEmail" });
    await field.fill('{"to":"bob@example.com"');
    await page.getByRole("button", { name: "Run with these" }).click();
    await page.getByText("The arguments must be JSON").waitFor();
    // Issue 14.20: arguments that the tool does not take are refused beside them, and the question stays open.
    await field.fill('{"to":5}');
    await page.getByRole("button", { name: "Run with these" }).click();
    await page.getByRole("alert").getByText("The edited arguments of sendEmail were refused").waitFor();
    await field.fill('{"to":"bob@example.com","subject":"s","body":"hello"}');
    await page.getByRole("button", { name: "Run with these" }).click();
    await page.getByText("You agreed to the mail to bob@example.com.").waitFor();
    const expectEdited = async () => {
      expect(await sendEmail.locator("summary").textContent()).toContain('{"to":"bob@example.com"');
      await sendEmail.locator("summary").click();
      expect(await sendEmail.locator("del").allTextContents()).toEqual([
        '-   "to": "team@example.com",',
        '-   "subject": "From the Reprise demonstration",',
      ]);
      expect(await sendEmail.locator("ins").allTextContents()).toEqual([
        '+   "to": "bob@example.com",',
        '+   "subject": "s",',
      ]);
    };
    await expectEdited();
    await untilIdle(page);
    await page.reload();
    await page.getByText("You agreed to the mail to bob@example.com.").waitFor();
    await expectEdited();
  });

  it("shows a decision that is made elsewhere, and in the background holds no connection for it", async () => {
    const page = await openPage();
    const approveElsewhere = async (): Promise<void> => {
      const thread = threadOf(page);
      const { items } = await (await fetch(`${server.url}/v1/decisions?thread_id=${thread}`)).json();
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ action: "approve" });
      await fetch(`${server.url}/v1/decisions/${items[0].id}`, { method: "POST", headers, body });
    };
    const turn = (state: "hidden" | "visible") =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
        document.dispatchEvent(new Event("visibilitychange"));
      }, state === "hidden");
    await say(page, "send a mail to ann@example.com saying hi");
    await call(page, "sendEmail").getByRole("button", { name: "Approve" }).waitFor();
    await approveElsewhere();
    await page.getByText("You agreed to the mail to ann@example.com.").waitFor();
    await say(page, "send a mail to bob@example.com saying hi");
    const following = page.waitForResponse(/follow=true/);
    await call(page, "sendEmail").getByRole("button", { name: "Approve" }).waitFor();
    await following;
    const ended = page.waitForEvent("requestfailed", (request) => request.url().includes("follow=true"));
    await turn("hidden");
    await ended;
    await approveElsewhere();
    await turn("visible");
    await page.getByText("You agreed to the mail to bob@example.com.").waitFor();
    expect(await page.getByRole("article").count()).toBe(2);
  });

  it("denies a call", async () => {
    const page = await openPage();
    await page.getByRole("combobox", { name: "Agent" }).selectOption("approver");
    await say(page, "hello");
    await call(page, "sendEmail").getByRole("button", { name: "Deny" }).click();
    await page.getByText("You said no, so sendEmail did not run.").waitFor();
    await call(page, "sendEmail").getByText("denied", { exact: true }).waitFor();
  });

  it("says what becomes of an open question before a message withdraws it", async () => {
    const page = await openPage();
    await page.getByRole("combobox", { name: "Agent" }).selectOption("approver");
    await say(page, "hello");
    const sendEmail = call(page, "sendEmail");
    await sendEmail.getByRole("button", { name: "Approve" }).waitFor();
    await say(page, "something else");
    const dialog = page.getByRole("alertdialog");
    await dialog.getByText("sendEmail needs approval. Sending this message now withdraws the call").waitFor();
    // Nothing is sent before the person has chosen.
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("something else");
    await sendEmail.getByRole("button", { name: "Approve" }).waitFor();
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Withdraw and send now" }).click();
    await page.getByText("superseded", { exact: true }).waitFor();
    const next = page.getByRole("article", { name: "Tool call sendEmail" }).nth(1);
    expect(await next.getByLabel("Arguments of sendEmail").textContent()).toContain('"body": "something else"');
    await next.getByRole("button", { name: "Deny" }).click();
    await page.getByText("You said no, so sendEmail did not run.").waitFor();
    expect(await page.locator(".said.user").allTextContents()).toEqual(["hello", "something else"]);
  });

  it("sends a message after the decision when the person says so", async () => {
    const page = await openPage();
    await say(page, "send a mail to ann@example.com saying hi");
    await call(page, "sendEmail").getByRole("button", { name: "Approve" }).waitFor();
    await say(page, "what is 2 + 3");
    await page.getByRole("alertdialog").getByRole("button", { name: "Send after the decision" }).click();
    await page.getByRole("group", { name: "Queued message" }).getByText("what is 2 + 3").waitFor();
    await call(page, "sendEmail").getByRole("button", { name: "Approve" }).click();
    await page.getByText("2 + 3 = 5").waitFor();
    expect((await answers(page)).at(1)).toContain("You agreed to the mail to ann@example.com.");
  });

  it("withdraws a question with messages queued behind it, and sends all messages in order", async () => {
    const page = await openPage();
    await say(page, "send a mail to ann@example.com saying hi");
    await call(page, "sendEmail").getByRole("button", { name: "Approve" }).waitFor();
    await say(page, "what is 2 + 3");
    await page.getByRole("alertdialog").getByRole("button", { name: "Send after the decision" }).click();
    await page.getByRole("group", { name: "Queued message" }).waitFor();
    await say(page, "what is 3 + 4");
    await page.getByRole("alertdialog").getByRole("button", { name: "Withdraw and send now" }).click();
    await page.getByText("3 + 4 = 7").waitFor();
    const said = await answers(page);
    expect(said.indexOf("2 + 3 = 5")).toBeLessThan(said.indexOf("3 + 4 = 7"));
    expect(said.join()).not.toContain("You agreed");
    await call(page, "sendEmail").getByText("cancelled", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Approve", exact: true }).count()).toBe(0);
  });

  it("needs nothing but the keyboard, also for an approval", async () => {
    const page = await openPage();
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
    await page.keyboard.type("send a mail to ann@example.com saying hi");
    await page.keyboard.press("Enter");
    await call(page, "sendEmail").getByRole("button", { name: "Approve" }).waitFor();
    for (const name of ["Edit…", "Deny", "Approve"]) {
      await page.keyboard.press("Shift+Tab");
      expect(await focused()).toBe(name);
    }
    await page.keyboard.press("Enter");
    await page.getByText("You agreed to the mail to ann@example.com.").waitFor();
    await untilIdle(page);
    // The next message can be written at once.
    await page.keyboard.type("echo typed");
    await page.keyboard.press("Enter");
    await page.getByText("typed", { exact: true }).last().waitFor();
  });

  it("fits a phone in the dark, shows progress, stops a run by the keyboard, and says why a run was stopped", async () => {
    const page = await openPage({ viewport: { width: 390, height: 780 }, colorScheme: "dark" });
    const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).toBe(
      "rgb(21, 22, 27)",
    );
    await say(page, "do something slow");
    await call(page, "slowTask")
      .getByText(/step \d of 10/)
      .waitFor();
    expect(await isWide()).toBe(false);
    await page.keyboard.press("Escape");
    await page.getByText("Stopped.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Threads" }).click();
    await page.getByRole("button", { name: "New thread" }).click();
    await page.getByRole("combobox", { name: "Agent" }).selectOption("stopper");
    await say(page, "continue");
    await page.getByText("Stopped by a rule: max rounds reached.").waitFor();
    expect(await isWide()).toBe(false);
  });

  it("continues where it was when the connection breaks, and repeats nothing", async () => {
    const page = await openPage();
    await page.route(/\/v1\/runs\?children/, async (route) => {
      const response = await route.fetch();
      const frames = (await response.text()).split("\n\n");
      await route.fulfill({ response, body: `${frames.slice(0, 6).join("\n\n")}\n\n` });
    });
    await say(page, "what is 12 * 7");
    await page.getByText("12 * 7 = 84").waitFor();
    expect(await answers(page)).toEqual(["I will use the tool calculator.", "12 * 7 = 84"]);
  });

  it("reads a run again when its stream has been silent for longer than the server ever is", async () => {
    const page = await openPage({ prepare: (opened) => opened.clock.install() });
    let streams = 0;
    page.on("request", (request) => {
      if (request.url().includes("follow=true")) streams += 1;
    });
    await say(page, "send a mail to ann@example.com saying hi");
    const approve = call(page, "sendEmail").getByRole("button", { name: "Approve" });
    await approve.waitFor();
    // The stream that waits for the decision.
    await expect.poll(() => streams).toBe(1);
    const minuteLater = async (): Promise<number> => {
      await page.clock.fastForward(60_000);
      return streams;
    };
    await expect.poll(minuteLater).toBeGreaterThan(1);
    await approve.click();
    await page.getByText("You agreed to the mail to ann@example.com.").waitFor();
    expect(await page.getByRole("article").count()).toBe(1);
  });

  it("works where it is mounted below another path", async () => {
    const page = await openPage();
    await page.route(/\/mounted\/here\//, (route) =>
      route.continue({ url: route.request().url().replace("/mounted/here/", "/") }),
    );
    await page.goto(`${server.url}/mounted/here/`);
    await say(page, "what is 12 * 7");
    await page.getByText("12 * 7 = 84").waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/mounted\/here\/threads\//);
  });

  it("leaves a thread while a message is on its way, and shows the other one", async () => {
    const page = await openPage();
    await say(page, "echo first thread");
    await page.getByText("first thread", { exact: true }).waitFor();
    await untilIdle(page);
    await page.getByRole("button", { name: "New thread" }).click();
    const held = Promise.withResolvers<void>();
    await page.route(/\/v1\/runs\?children/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await say(page, "echo second thread");
    const threads = page.getByRole("navigation", { name: "Threads" });
    await threads
      .getByRole("button", { name: /first thread/ })
      .first()
      .click();
    await page.getByText("first thread", { exact: true }).waitFor();
    held.resolve();
    await threads
      .getByRole("button", { name: /second thread/ })
      .first()
      .waitFor();
    expect(await page.locator(".said").allTextContents()).toEqual([
      "echo first thread",
      "I will use the tool echo.",
      "first thread",
    ]);
  });

  it.each([
    { name: "desktop", viewport: { width: 1100, height: 740 } },
    { name: "phone", viewport: { width: 390, height: 780 } },
  ])("moves nothing when a run starts, waits and ends ($name)", async ({ viewport }) => {
    const page = await openPage({ viewport });
    const field = page.getByRole("textbox", { name: "Message" });
    const place = async () => {
      const { y, height } = (await field.boundingBox()) ?? { y: 0, height: 0 };
      return { y, height };
    };
    const idle = await place();
    await say(page, "do something slow");
    await call(page, "slowTask")
      .getByText(/step \d/)
      .waitFor();
    expect(await place()).toEqual(idle);
    await page.keyboard.press("Escape");
    await page.getByText("Stopped.", { exact: true }).waitFor();
    expect(await place()).toEqual(idle);
    await say(page, "send a mail to ann@example.com saying hi");
    await call(page, "sendEmail").getByRole("button", { name: "Approve" }).waitFor();
    expect(await place()).toEqual(idle);
  });

  it("shows the message of a request that the server refuses", async () => {
    const page = await openPage();
    await page.goto(`${server.url}/threads/nowhere`);
    await page.getByRole("alert").getByText("thread not found: nowhere").waitFor();
  });

  it("asks for a key when the server needs one, and uses it", async () => {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    // This server needs no key, so its answers are replaced by those of one that does.
    await page.route(/\/v1\//, async (route) => {
      if (route.request().headers().authorization === "Bearer rk.key") return route.fallback();
      await route.fulfill({ status: 401, json: { error: "unauthorized: a valid credential is required" } });
    });
    await page.goto(server.url);
    await page.getByRole("textbox", { name: "API key" }).fill("rk.key");
    await page.getByRole("button", { name: "Use this key" }).click();
    await page.getByRole("heading", { name: "Start a conversation" }).waitFor();
    await say(page, "echo let in");
    await page.getByText("let in", { exact: true }).last().waitFor();
  });
});
