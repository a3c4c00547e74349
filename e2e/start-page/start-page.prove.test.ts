import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { ROOT } from "../../scripts/repository.mjs";
import { describeWithService } from "../../test/support/describe-with-service.ts";

/** Starts what `npm start` starts, the way it does, on a port and in a folder of its own. */
async function npmStart(folder: string): Promise<{ readonly url: string; readonly process: ChildProcess }> {
  const words = ["scripts/bootstrap.mjs", "start", "--json", "--http-addr", "127.0.0.1:0", "--storage-dir", folder];
  const child = spawn(process.execPath, words, {
    cwd: ROOT,
    // Nothing of the environment gets through, least of all a key.
    env: { PATH: process.env.PATH, HOME: folder, REPRISE_DEMO_PACE: "0.5" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface(child.stdout), "line");
  return { url: JSON.parse(String(line)).url, process: child };
}

describeWithService("chromium", "the page that npm start serves", ({ binary }) => {
  const folder = mkdtempSync(join(tmpdir(), "reprise-start-"));
  let server: Awaited<ReturnType<typeof npmStart>>;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([
      npmStart(folder),
      chromium.launch({ executablePath: binary, args: ["--no-sandbox"] }),
    ]);
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    server.process.kill("SIGTERM");
    await once(server.process, "exit");
    rmSync(folder, { recursive: true, force: true });
  });

  /** The page in a browser nobody used before. Whatever goes wrong in it fails the test. */
  async function openPage(options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    // What the server refused is said in the page; the browser notes it down too.
    page.on("console", (message) => {
      if (message.type() === "error" && !/status of (401|404|422)/.test(message.text())) problems.push(message.text());
    });
    onTestFinished(async () => {
      await context.close();
      expect(problems).toEqual([]);
    });
    await page.goto(server.url);
    await page.getByRole("heading", { name: "What shall we do?" }).waitFor();
    return page;
  }

  async function say(page: Page, text: string): Promise<void> {
    await page.getByRole("button", { name: "Send", exact: true }).waitFor();
    await page.getByRole("textbox", { name: "Message" }).fill(text);
    await page.keyboard.press("Enter");
  }

  const call = (page: Page, tool: string) => page.getByRole("article", { name: `Tool call ${tool}` }).last();

  it("chats with a tool and an approval, without a key, and goes on after a reload", async () => {
    const page = await openPage();
    await say(page, "what is 12 * 7");
    await page.getByText("12 * 7 = 84").waitFor();
    await say(page, "send a mail to ann@example.com saying <b>lunch</b>");
    await call(page, "sendEmail").getByRole("button", { name: "Approve" }).waitFor();
    // The exact arguments are in sight before anybody agrees to them, as text.
    expect(await call(page, "sendEmail").getByLabel("Arguments of sendEmail").textContent()).toContain(
      '"<b>lunch</b>"',
    );
    await page.reload();
    await page.getByText("12 * 7 = 84").waitFor();
    expect(await page.locator("b").count()).toBe(0);
    await call(page, "sendEmail").getByRole("button", { name: "Approve" }).click();
    await page.getByText("You agreed to the mail to ann@example.com.").waitFor();
    await say(page, "what did I say first?");
    await page.getByText("The first was: what is 12 * 7").waitFor();
  });

  it("lets a person change what is sent, or deny it", async () => {
    const page = await openPage();
    await page.getByLabel("Agent").selectOption("approver");
    await say(page, "hello");
    await call(page, "sendEmail").getByRole("button", { name: "Edit …" }).click();
    const field = page.getByRole("textbox", { name: "New arguments of sendEmail" });
    await field.fill('{"to":"bob@example.com"');
    await page.getByRole("button", { name: "Run with these" }).click();
    await page.getByText("This is no JSON.").waitFor();
    // Issue 14.20: what the tool does not take is refused where it was written, and the question stays open.
    await field.fill('{"to":5}');
    await page.getByRole("button", { name: "Run with these" }).click();
    await page.getByRole("alert").getByText("The edited arguments of sendEmail were refused").waitFor();
    await field.fill('{"to":"bob@example.com","subject":"s","body":"b"}');
    await page.getByRole("button", { name: "Run with these" }).click();
    await page.getByText("You agreed to the mail to bob@example.com.").waitFor();
    await say(page, "once more");
    await call(page, "sendEmail").getByRole("button", { name: "Deny" }).click();
    await page.getByText("You said no, so sendEmail did not run.").waitFor();
    await call(page, "sendEmail").getByText("denied", { exact: true }).waitFor();
  });

  it("shows progress, stops a run by the keyboard, and says why a run was stopped", async () => {
    const page = await openPage({ viewport: { width: 390, height: 780 }, colorScheme: "dark" });
    await say(page, "do something slow");
    await call(page, "slowTask")
      .getByText(/step \d of 10/)
      .waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Stopped.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Threads" }).click();
    await page.getByRole("button", { name: "New thread" }).click();
    await page.getByLabel("Agent").selectOption("stopper");
    await say(page, "go on");
    await page.getByText("Stopped by a rule: max rounds reached.").waitFor();
  });

  it("goes on where it was when the connection breaks, and repeats nothing", async () => {
    const page = await openPage();
    await page.route(/\/v1\/runs$/, async (route) => {
      const response = await route.fetch();
      const frames = (await response.text()).split("\n\n");
      await route.fulfill({ response, body: `${frames.slice(0, 6).join("\n\n")}\n\n` });
    });
    await say(page, "what is 12 * 7");
    await page.getByText("12 * 7 = 84").waitFor();
    const said = await page.locator(".said.assistant").allTextContents();
    expect(said).toEqual(["I will use the tool calculator.", "12 * 7 = 84"]);
  });

  it("says errors in words", async () => {
    const page = await openPage();
    await page.goto(`${server.url}/#nowhere`);
    await page.getByRole("alert").getByText("thread not found: nowhere").waitFor();
  });

  it("asks for a key where the server does, and uses it", async () => {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    // This server asks nobody; what one that does would answer is put in its place.
    await page.route(/\/v1\//, async (route) => {
      if (route.request().headers().authorization === "Bearer rk.key") return route.fallback();
      await route.fulfill({ status: 401, json: { error: "unauthorized: a valid credential is needed" } });
    });
    await page.goto(server.url);
    await page.getByLabel("API key").fill("rk.key");
    await page.getByRole("button", { name: "Use it" }).click();
    await page.getByRole("heading", { name: "What shall we do?" }).waitFor();
    await say(page, "echo let in");
    await page.getByText("let in", { exact: true }).last().waitFor();
  });
});
