import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, chromium, type Page } from "playwright-core";
import { createRuntime, memory } from "reprise";
import { evaluations } from "reprise/evals";
import { createServer } from "reprise/server";
import { listen, studio } from "reprise/server/node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { openScreen } from "./support/open-studio.ts";
import { FLEET, openShowcase, type Showcase } from "./support/showcase.ts";

/** What stands for the parts of addresses that a screen takes; a screen with others shows what is missing. */
type Ids = Readonly<Record<string, string>>;

describeWithService("chromium", "every screen of the studio", ({ binary }) => {
  let show: Showcase;
  let browser: Browser;
  let url: string;
  let close: () => Promise<void>;
  let done: string;
  let tree: string;
  /** Two servers for the same pages: one with everything, one with nothing. */
  let emptyUrl: string;
  beforeAll(async () => {
    show = await openShowcase();
    const empty = await createRuntime({ store: memory() });
    const [full, bare] = await Promise.all(
      [show.runtime, empty].map((runtime) =>
        listen(createServer({ runtime, pages: studio(), evals: evaluations() }), { port: 0 }),
      ),
    );
    browser = await chromium.launch({ executablePath: binary, args: ["--no-sandbox"] });
    url = full?.url ?? "";
    emptyUrl = bare?.url ?? "";
    close = async () => {
      await browser.close();
      await Promise.all([full?.close(), bare?.close()]);
      await Promise.all([show.runtime.close(), empty.close()]);
    };
    await show.answer("support", "open", "My lamp arrived broken. Please refund order 1042.");
    done = await show.answer("support", "done", "Please refund order 2077.");
    await show.approve(done);
    tree = await show.answer("editor", "paper", "Make a newspaper.");
  }, 120_000);
  afterAll(() => close(), 60_000);

  const visit = (path: string, options: Parameters<typeof openScreen>[2] = {}): Promise<Page> =>
    openScreen({ browser, url }, path, options);

  it("has a form of an agent filled in, and sends what the person did", async () => {
    await show.answer("host", "table", "I would like a table.");
    const page = await visit("/threads/table");
    const form = page.getByRole("region", { name: "Surface booking" });
    await form.getByRole("textbox", { name: "Name" }).fill("Bob <b>");
    await form.getByRole("button", { name: "Book the table" }).click();
    await page.getByText("You pressed book").waitFor();
    await page.getByText("Your table is booked.").waitFor();
    const { messages } = await show.runtime.threads.messages("table");
    const sent = JSON.parse(String(messages.findLast(({ role }) => role === "user")?.content));
    expect(sent.action).toMatchObject({
      name: "book",
      surfaceId: "booking",
      sourceComponentId: "book",
      context: { name: "Bob <b>", date: "2026-11-20" },
    });
    await page.reload();
    await form.getByText("Trattoria Lena, 19:30").waitFor();
  }, 60_000);

  it("shows a page of an MCP server in a frame that reaches neither the studio nor the network", async () => {
    await show.answer("host", "weather", "How is the weather?");
    // The attempts of the frame are refused in the console.
    const page = await visit("/threads/weather", {
      expected: /frame|Content Security Policy|violates|Unsafe attempt/i,
    });
    const frame = page.frameLocator("iframe[title='Page of show_forecast']");
    await frame.getByText("Lisbon: 21 °C").waitFor();
    const inner = page.frames().find((each) => each.url().endsWith("/frame"));
    const reached = await inner?.evaluate(async (own) => {
      const attempt = async (task: () => unknown): Promise<string> => {
        try {
          await task();
          return "reached";
        } catch {
          return "refused";
        }
      };
      return [
        globalThis.origin,
        await attempt(() => parent.document.title),
        await attempt(() => localStorage.length),
        await attempt(() => fetch(own)),
      ];
    }, `${url}/v1/agents`);
    expect(reached).toEqual(["null", "refused", "refused", "refused"]);
    await inner?.evaluate((to) => {
      location.href = to;
    }, `${emptyUrl}/`);
    await expect.poll(() => page.frames().some((each) => each.url().startsWith(emptyUrl))).toBe(false);
  }, 60_000);

  it("opens the exact request and response behind a step of the waterfall", async () => {
    const page = await visit(`/runs/${done}`);
    await page
      .getByRole("button", { name: /^Step 2 · / })
      .first()
      .click();
    const details = page.getByRole("region", { name: "Details of Step 2" });
    await details.getByText("Request", { exact: true }).waitFor();
    const request = details.getByRole("group", { name: /^Request 1 to/ });
    await request.getByText("You are the support desk of a lamp shop.", { exact: false }).first().waitFor();
    await details
      .getByRole("group", { name: /^Response 1 of/ })
      .getByText("tool_use", { exact: false })
      .waitFor();
  }, 60_000);

  it("runs a step again with another result of a tool and another model, and compares both", async () => {
    // Where the first step and its tools are over.
    const changesets = await show.runtime.threads.changesets("done");
    const at = changesets.findLast(({ runs }) => runs.some(({ steps }) => steps === 1))?.version;
    const page = await visit(`/runs/${done}?at=${at}`);
    await page.getByRole("button", { name: "Re-run from here" }).click();
    const dialog = page.getByRole("dialog", { name: "Re-run from here" });
    await dialog.getByRole("combobox", { name: "Model" }).fill("acme/quick");
    await dialog.getByText("read_policy").click();
    await dialog.getByRole("textbox", { name: "Result of read_policy" }).fill("No refunds, ever.");
    await dialog.getByRole("button", { name: "Re-run and compare" }).click();
    await page
      .getByText("The re-run left the original on a fork, with the model acme/quick and other results of tools.")
      .waitFor();
    await page.getByText("They differ from step 1 on.", { exact: false }).waitFor();
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    const [asked] = await show.runtime.modelCalls(id, 1);
    expect(JSON.stringify(asked?.request.messages)).toContain("No refunds, ever.");
  }, 60_000);

  it(`folds the lanes of a tree of ${FLEET} agents, and shows each of them with few elements`, async () => {
    const page = await visit(`/runs/${tree}`);
    await page.getByText(`${FLEET - 1} sub-agents`).waitFor();
    const spans = page.getByRole("region", { name: "Spans" });
    const lanes = spans.locator("[aria-expanded]");
    // A lane for each desk, which says how many reporters are behind it.
    await expect.poll(() => lanes.count()).toBe(7);
    const desks = await lanes.allTextContents();
    for (const desk of desks) expect(desk).toMatch(/-desk.*\+6|\+6.*-desk/);
    const seen = new Set(desks);
    for (const desk of desks) {
      const [name = ""] = /\w+-desk/.exec(desk) ?? [];
      const lane = spans.getByRole("button", { name: new RegExp(name) }).and(lanes);
      await lane.click();
      await expect.poll(() => lane.getAttribute("aria-expanded")).toBe("true");
      const topic = name.replace("-desk", "");
      for (let reporter = 1; reporter <= 6; reporter += 1) {
        await spans
          .getByRole("button", { name: new RegExp(`${topic}-${reporter}\\b`) })
          .and(lanes)
          .waitFor({ state: "attached" });
        seen.add(`${topic}-${reporter}`);
      }
      expect(await page.locator("*").count()).toBeLessThan(2_000);
      await lane.click();
      await expect.poll(() => lanes.count()).toBe(7);
    }
    expect(seen.size).toBe(FLEET - 1);
  }, 90_000);

  it("says where a recording was tampered with, and shows the event there", async () => {
    const id = await show.answer("host", "tampered", "Hello");
    show.tamper("tampered");
    const page = await visit(`/runs/${id}`);
    await page.getByRole("button", { name: "Verify replay" }).click();
    await page.getByText(/^Diverged at /).waitFor();
    await page.getByRole("region", { name: "Divergence" }).waitFor();
    await page.getByRole("region", { name: "Events" }).locator("[aria-current=true]").waitFor();
    // What was found is remembered, and stands in the list too.
    await page.goto(`${url}/runs?word=tampered`);
    await page
      .getByRole("table", { name: "Runs" })
      .getByText(/^Diverged at /)
      .waitFor({ state: "attached" });
    await page.getByRole("table", { name: "Runs" }).getByRole("link").click();
    await page.getByRole("region", { name: "Divergence" }).waitFor();
    await page.getByRole("button", { name: "Verify replay again" }).waitFor();
  }, 60_000);

  it("explains spent budgets, unknown outcomes and questions, with what each answer does", async () => {
    await show.answer("thrifty", "spent", "Read on.");
    await show.answer("painter", "paint", "Paint the door.");
    await show.answer("files", "files", "Write a note.");
    const page = await visit("/inbox");
    const list = page.getByRole("navigation", { name: "Open questions" });
    await list.getByRole("button", { name: /^charge_card/ }).click();
    await page.getByText("The process died while charge_card was running").waitFor();
    await page.getByText("The tool runs once more with the same idempotency key.").waitFor();
    await list.getByRole("button", { name: /^budget/ }).click();
    await page
      .getByText(/^\$[\d.]+ of \$0\.008 are spent or reserved, and the next model call may cost up to \$[\d.]+: more/)
      .waitFor();
    await page.getByText("The limit becomes $0.016, and the run continues where it stopped.").waitFor();
    await page.getByRole("button", { name: "Set another limit…" }).click();
    await page.getByRole("textbox", { name: "New limit, in dollars" }).fill("nothing");
    await page.getByRole("button", { name: "Continue with this limit" }).click();
    await page.getByText("A limit must be a number from 0 on.").waitFor();
    await page.getByRole("textbox", { name: "New limit, in dollars" }).fill("0.5");
    await page.getByRole("button", { name: "Continue with this limit" }).click();
    await list.getByRole("button", { name: /^budget/ }).waitFor({ state: "detached" });
    const { items: spent } = await show.runtime.runs({ threadId: "spent" });
    expect((await show.runtime.budgets.get(spent[0]?.run_id ?? ""))?.limit_microcents).toBe(50_000_000);
    await list.getByRole("button", { name: /^choose_colour/ }).click();
    await page.getByText("Which colour shall it be?").waitFor();
    await page.getByRole("button", { name: "Answer…" }).click();
    await page.getByRole("textbox", { name: "Result of choose_colour instead of running it" }).fill('"blue"');
    await page.getByRole("button", { name: "Use this result" }).click();
    await list.getByRole("button", { name: /^choose_colour/ }).waitFor({ state: "detached" });
    await list.getByRole("button", { name: /^write_file/ }).click();
    await page
      .getByText(/^expires 1[45]:\d\d$/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Always allow" }).waitFor();
    // Several are denied at once.
    for (const tool of ["write_file", "charge_card"])
      await list.getByRole("checkbox", { name: `Choose ${tool}` }).check();
    await page.getByRole("button", { name: "Deny 2 chosen" }).click();
    for (const tool of ["write_file", "charge_card"])
      await list.getByRole("button", { name: new RegExp(`^${tool}`) }).waitFor({ state: "detached" });
  }, 60_000);

  it("exports, forks and deletes a thread", async () => {
    await show.answer("host", "kept", "Hello");
    // What a page is still reading of a run when its thread is deleted is gone.
    const page = await visit("/threads/kept", { expected: /status of 404 .*\/v1\/runs\/[^/]+\/events/ });
    await page.getByText("Your table is booked.").waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export the thread" }).click();
    expect((await download).suggestedFilename()).toBe("kept.ndjson");
    await page.getByRole("button", { name: "Fork the thread" }).click();
    await page.waitForURL((address) => !address.pathname.endsWith("/kept"));
    await page.goto(`${url}/threads/kept`);
    await page.getByText("Your table is booked.").waitFor();
    await page.getByRole("button", { name: "Delete the thread" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("heading", { name: "Start a conversation" }).waitFor();
    await expect(show.runtime.threads.get("kept")).rejects.toMatchObject({ code: "THREAD_NOT_FOUND" });
  }, 60_000);

  it("loads nothing from elsewhere, and says when it is offline and when it is back", async () => {
    const page = await visit("/threads/done", { expected: /ERR_INTERNET_DISCONNECTED|Failed to load resource/ });
    const elsewhere: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(url) && !request.url().startsWith("blob:")) elsewhere.push(request.url());
    });
    await page.getByText("The money arrives").waitFor();
    await page.context().setOffline(true);
    await page.getByText("Reconnecting…").waitFor();
    await page.context().setOffline(false);
    await page.getByText("Reconnecting…").waitFor({ state: "hidden" });
    expect(elsewhere).toEqual([]);
  }, 60_000);

  it.each([
    ["/", "Start a conversation"],
    ["/inbox", "Nothing needs you"],
    ["/runs", "No runs yet"],
    ["/agents", "No agents"],
    ["/evals", "No experiments yet"],
    ["/runs/none", "There is no such run"],
    ["/nowhere/at/all", "There is no such page"],
  ])("an empty studio says at %s what is to be done", async (path, title) => {
    const page = await openScreen({ browser, url: emptyUrl }, path === "/nowhere/at/all" ? "/" : path, {
      expected: /status of 404/,
    });
    if (path === "/nowhere/at/all")
      await page.evaluate((to) => {
        history.pushState({}, "", to);
        dispatchEvent(new PopStateEvent("popstate"));
      }, path);
    await page.getByRole("heading", { name: title }).waitFor();
  });

  it("is walked through by the keyboard alone: everything that takes the focus has a name and shows it", async () => {
    const page = await visit("/");
    await page.getByRole("heading", { name: "Start a conversation" }).waitFor();
    const go = async (name: string): Promise<void> => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Go to" }).waitFor();
      await page.keyboard.type(name);
      await page.keyboard.press("Enter");
    };
    for (const [name, heading] of [
      ["Runs", "Runs"],
      ["Agents", "Agents"],
      ["Operations", "Operations"],
      ["Inbox", "Inbox"],
    ] as const) {
      await go(name);
      await page.getByRole("heading", { name: heading, exact: true }).first().waitFor();
      const unnamed: string[] = [];
      for (let presses = 0; presses < 25; presses += 1) {
        await page.keyboard.press("Tab");
        const problem = await page.evaluate(() => {
          const { activeElement: element } = document;
          if (element === null || element === document.body) return undefined;
          const name = [element.getAttribute("aria-label"), element.textContent, element.getAttribute("title")];
          const labels =
            element instanceof HTMLInputElement ? [...(element.labels ?? [])].map((each) => each.textContent) : [];
          const isNamed = [...name, ...labels].some((text) => (text ?? "").trim() !== "");
          const { outlineStyle, outlineWidth } = getComputedStyle(element);
          const around = element.closest("label, form");
          const isSeen =
            (outlineStyle !== "none" && outlineWidth !== "0px") ||
            (around !== null && element.matches("input, textarea, select"));
          return isNamed && isSeen ? undefined : element.outerHTML.slice(0, 160);
        });
        if (problem !== undefined) unnamed.push(problem);
      }
      expect(unnamed).toEqual([]);
    }
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.goto(`${url}/threads/done`);
    await page.getByText("The money arrives").waitFor();
    await page.keyboard.press("Tab");
    await page.locator("#main").focus();
    for (let steps = 0; steps < 3; steps += 1) await page.keyboard.press("[");
    await page.getByRole("group", { name: "Earlier version" }).waitFor();
    await page.keyboard.press("f");
    await page.waitForURL((address) => !address.pathname.endsWith("/done"));
  }, 90_000);

  it.each([
    { scheme: "light", width: 1280 },
    { scheme: "dark", width: 1280 },
    { scheme: "light", width: 390 },
  ] as const)(
    "has no accessibility violation at any address it serves ($scheme, $width px)",
    async ({ scheme, width }) => {
      const ids: Readonly<Record<string, Ids>> = {
        "/threads/:id": { id: "open" },
        "/runs/:id": { id: tree },
        "/compare/:a/:b": { a: done, b: tree },
        "/agents/:id": { id: "support" },
      };
      const items = await show.runtime.decisions.list({ threadId: "open" });
      const question: Ids = { call: items[0]?.id ?? "" };
      const screens = studio().flatMap(({ path, contentType, isFrame }) =>
        contentType.startsWith("text/html") && isFrame !== true ? [path] : [],
      );
      expect(screens.length).toBeGreaterThan(9);
      const context = await browser.newContext({
        viewport: { width, height: 800 },
        colorScheme: scheme,
        reducedMotion: "reduce",
      });
      const violations: string[] = [];
      try {
        for (const screen of screens) {
          const values = { ...question, ...ids[screen] };
          const path = screen.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? "none"));
          const page = await context.newPage();
          await page.goto(url + path);
          const heading = page.locator("#main :is(h1, h2)").first();
          await heading.waitFor({ state: "attached" }).catch(() => violations.push(`${screen} has no heading`));
          await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
          const builder = new AxeBuilder({ page });
          const { violations: found } = await (scheme === "dark"
            ? builder.withRules(["color-contrast"])
            : builder
          ).analyze();
          for (const { id, nodes } of found)
            violations.push(`${screen} ${id}: ${nodes.map(({ html }) => html).join(" ")}`);
          if (width === 390 && (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)))
            violations.push(`${screen} is wider than a phone`);
          await page.close();
        }
      } finally {
        await context.close();
      }
      expect(violations).toEqual([]);
    },
    300_000,
  );
});
