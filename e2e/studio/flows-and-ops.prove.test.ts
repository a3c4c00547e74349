import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, chromium, type Page } from "playwright-core";
import { createRuntime, defineAgent, memory, RepriseError, type Runtime, scriptedModel } from "reprise";
import { createServer } from "reprise/server";
import { listen, studio } from "reprise/server/node";
import { defineWorkflow } from "reprise/workflow";
import { afterAll, beforeAll, expect, it } from "vitest";
import { failCommits } from "../../packages/runtime/test/support/intercept-store.ts";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { openScreen } from "./support/open-studio.ts";
import { type StartedServer, startServer } from "./support/start-server.ts";

const expectAccessible = async (page: Page): Promise<void> => {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
};

/** The lines of the graph of the demonstration are drawn, whatever happened to its nodes since it was first shown. */
const expectLines = async (page: Page): Promise<void> => {
  const lines = page.getByLabel("Graph of the workflow").locator(".react-flow__edge-path");
  await expect.poll(() => lines.count()).toBe(LINES);
  for (const path of await lines.all()) expect(await path.getAttribute("d")).toMatch(/^M[\d.-]+,[\d.-]+C/);
};
const LINES = 10;

/** Counts the lines at every change of the page from now on: ones that go away are drawn again soon, and a later look would miss it. */
const watchLines = (page: Page) =>
  page.evaluate(() => {
    const count = (): number => document.querySelectorAll(".react-flow__edge-path").length;
    const seen = { fewest: count() };
    Object.assign(window, { seen });
    new MutationObserver(() => {
      seen.fewest = Math.min(seen.fewest, count());
    }).observe(document.body, { childList: true, subtree: true });
  });
const fewestLines = (page: Page) =>
  page.evaluate(() => ("seen" in window ? (window.seen as { readonly fewest: number }).fewest : undefined));

describeWithService("chromium", "workflows and operations in the studio", ({ binary }) => {
  const folder = mkdtempSync(join(tmpdir(), "reprise-flows-"));
  let browser: Browser;
  let server: StartedServer;
  beforeAll(async () => {
    server = await startServer({ folder });
    browser = await chromium.launch({ executablePath: binary, args: ["--no-sandbox"] });
  }, 90_000);
  afterAll(async () => {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  it("a newcomer starts the workflow of the demonstration, decides at its gate, looks at a node and restarts from it", async () => {
    const page = await openScreen({ browser, url: server.url }, "/");
    await page.getByRole("link", { name: "Flows" }).click();
    await page.getByRole("link", { name: /Publish a note/ }).click();
    await page.getByRole("button", { name: /^Explain the word/ }).waitFor();
    await expectAccessible(page);
    await expectLines(page);
    await page.getByLabel("readers").fill("0");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    // The form checks what a browser can; the server checks everything.
    expect(new URL(page.url()).pathname).toBe("/workflows/publish-note");
    await page.getByLabel("readers").fill("20");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    const gate = page.getByRole("region", { name: "Open questions" });
    await gate.getByText("Publish the note about replay?").waitFor();
    await page.getByRole("button", { name: /^Ask an editor\b.*needs approval/ }).waitFor();
    await page.getByRole("button", { name: /^publish\b.*transform/ }).waitFor();
    await expectLines(page);
    await page.getByRole("link", { name: /Inbox.*1 open/ }).waitFor();
    const inbox = await openScreen({ browser, url: server.url }, "/inbox");
    await inbox.getByRole("heading", { name: "approve", exact: true }).waitFor();
    await inbox.getByText("Publish the note about replay?").waitFor();
    await expectAccessible(page);
    await watchLines(page);
    await gate.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("button", { name: /^publish\b.*done/ }).waitFor();
    expect(await fewestLines(page)).toBe(LINES);
    await page.getByRole("button", { name: /^withdraw\b.*skipped/ }).waitFor();
    await expectLines(page);
    await gate.waitFor({ state: "detached" });

    await page.getByRole("button", { name: /^Count the readers of a week\b.*done/ }).click();
    const node = page.getByRole("region", { name: "Node count" });
    await node.getByText("20 * 7 = 140").waitFor();
    await node.getByRole("tab", { name: "Definition" }).click();
    await node.getByText("what is {{ inputs.readers }} * 7").waitFor();
    await node.getByRole("tab", { name: "Events" }).click();
    await node
      .getByText(/calculator/)
      .first()
      .waitFor();
    expect(new URL(page.url()).searchParams.get("node")).toBe("count");

    await page.getByRole("button", { name: "Timeline" }).click();
    await page.getByRole("region", { name: "Nodes over time" }).getByText("approve").click();
    const decided = page.getByRole("region", { name: "Node approve" });
    await decided.getByText("Approved.", { exact: true }).waitFor();
    const before = page.url();
    await decided.getByRole("button", { name: "Restart from here" }).click();
    // Everything before the gate is kept, so it asks at once.
    await gate.getByText("Publish the note about replay?").waitFor();
    expect(page.url()).not.toBe(before);
    await page.getByRole("link", { name: "restarted from approve" }).waitFor();
    await gate.getByRole("button", { name: "Add a reason" }).click();
    await gate.getByRole("textbox").fill("Not yet.");
    await gate.getByRole("button", { name: "Reject" }).click();
    await page.getByRole("button", { name: "Graph" }).click();
    await page.getByRole("button", { name: /^withdraw\b.*done/ }).waitFor();
    await page.getByRole("complementary", { name: "Inspector" }).getByText("Not yet.").waitFor();
  }, 120_000);

  it("changes the configuration: a mistake is explained and nothing is stored, then it counts, has a history and is taken back", async () => {
    const page = await openScreen({ browser, url: server.url }, "/ops/config?kind=agents&id=assistant", {
      expected: /status of 422/,
    });
    const field = page.getByLabel("Entry, as JSON");
    const entry = JSON.parse(await field.inputValue());
    await field.fill(JSON.stringify({ ...entry, model: "demo/asistant" }));
    await page.getByRole("button", { name: "Save" }).click();
    const refusal = page.getByRole("alert").filter({ hasText: "Nothing was stored." });
    await refusal.getByText(/There is no demonstration model "asistant"/).waitFor();
    expect(await field.inputValue()).toContain("asistant");
    await page.getByText("Nothing was changed while the server ran.").waitFor();
    await field.fill(JSON.stringify({ ...entry, description: "Changed in the studio." }));
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText(/changed over the file, revision/).waitFor();
    const history = page.getByRole("region", { name: "History" });
    await history.getByText("Stored").waitFor();
    await expectAccessible(page);
    const agents: { readonly items: readonly { readonly id: string; readonly description: string }[] } = await (
      await fetch(`${server.url}/v1/agents`)
    ).json();
    expect(agents.items.find(({ id }) => id === "assistant")?.description).toBe("Changed in the studio.");
    await page.getByRole("button", { name: "Take the change away" }).click();
    await page.getByText("as the file has it").waitFor();
    await history.getByText("Taken away").waitFor();
  }, 60_000);

  it("shows queues, processes, spend and latency, and gives a dead letter another chance", async () => {
    let isBroken = true;
    const broken = new RepriseError("INVALID_REQUEST", "The disk is upside down.");
    const store = failCommits(await memory(), (_, { run_id, reasons }) =>
      isBroken && run_id === "dead" && reasons.includes("user_message") ? broken : undefined,
    );
    const clerk = defineAgent({
      id: "clerk",
      budget: { limitTokens: 1_000 },
      model: scriptedModel(({ messages }) =>
        JSON.stringify(messages.at(-1)).includes("stall")
          ? [{ text: "Wait" }, { stall: true }]
          : [{ text: "Done." }, { usage: { promptTokens: 100, completionTokens: 20 } }],
      ),
    });
    const runtime: Runtime = await createRuntime({ agents: [clerk, EVENTS], store });
    const listening = await listen(createServer({ runtime, pages: studio() }), { port: 0 });
    try {
      const request = (threadId: string, text: string, runId?: string) =>
        runtime.submit({
          agent_id: "clerk",
          thread_id: threadId,
          ...(runId !== undefined && { run_id: runId }),
          messages: [{ role: "user", content: text }],
          origin: "user",
        });
      await (await request("paid", "hello")).outcome();
      const busy = await request("orders", "stall");
      await request("orders", "again", "dead");
      await busy.cancel();
      await busy.outcome();

      const page = await openScreen({ browser, url: listening.url }, "/ops", { expected: /status of 404/ });
      await page.getByRole("link", { name: /Dead letters.*1/ }).click();
      await page.getByText("The disk is upside down.").waitFor();
      await expectAccessible(page);
      isBroken = false;
      await page.getByRole("button", { name: "Requeue" }).click();
      await page.getByText("None. Everything that was accepted could be started.").waitFor();
      expect(await (await runtime.run("dead")).text).toBe("Done.");

      await page.getByRole("link", { name: "Processes" }).click();
      await page
        .getByRole("region", { name: "Processes", exact: true })
        .getByRole("link", { name: "clerk" })
        .first()
        .waitFor();
      await page.getByRole("link", { name: "Spend" }).click();
      await page.getByRole("meter", { name: "Tokens of the budget" }).first().waitFor();
      await page.getByRole("img", { name: "Tokens over time" }).waitFor();
      await page.getByRole("region", { name: "Spend by agent" }).getByRole("row", { name: /clerk/ }).waitFor();
      await expectAccessible(page);
      await page.getByRole("link", { name: "Latency" }).click();
      // One look gives a spread, and no line yet.
      await page.getByRole("img", { name: "Answers by how long they took" }).waitFor();
      await page
        .getByText("Collecting: the line begins with the next figures.")
        .or(page.getByRole("img", { name: "Percentiles of model latency over time" }))
        .waitFor();
      await page.getByRole("img", { name: "Percentiles of model latency over time" }).waitFor();
      await page
        .getByRole("region", { name: "Latency of models" })
        .getByRole("row", { name: /clerk/ })
        .first()
        .waitFor();
      await expectAccessible(page);
      await page.getByRole("link", { name: "Configuration" }).click();
      await page.getByRole("heading", { name: "The configuration is fixed" }).waitFor();
    } finally {
      await listening.close();
      await runtime.close();
    }
  }, 90_000);

  it("draws what is inside of a loop or a fan-out, sends an event, and cancels", async () => {
    const runtime = await createRuntime({ agents: [EVENTS], store: memory() });
    const listening = await listen(createServer({ runtime, pages: studio() }), { port: 0 });
    try {
      const page = await openScreen({ browser, url: listening.url }, "/workflows/events");
      await page.getByRole("button", { name: "Start", exact: true }).click();
      await page.getByRole("button", { name: /^double\b.*done/ }).click();
      const node = page.getByRole("region", { name: "Node each.double" });
      await node.getByLabel("Instance").selectOption({ label: "each[2].double (done)" });
      await node.getByText("6", { exact: true }).waitFor();
      const question = page.getByRole("region", { name: "Open questions" });
      await question.getByRole("textbox", { name: "Payload of shipped" }).fill('{"by":"sea"}');
      await question.getByRole("button", { name: "Send the event" }).click();
      await page.getByRole("button", { name: /^sent\b.*done/ }).click();
      await page.getByRole("region", { name: "Node sent" }).getByText('"sea"').waitFor();
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Cancel the run" }).click();
      await page.getByRole("banner").or(page.getByRole("main")).getByText("cancelled").first().waitFor();
    } finally {
      await listening.close();
      await runtime.close();
    }
  }, 60_000);
});

/** A fan-out, an event, and a gate that nobody answers. */
const EVENTS = defineWorkflow({
  schema_version: "1.0",
  workflow: {
    id: "events",
    nodes: [
      {
        id: "each",
        type: "fan_out",
        over: "[1, 2, 3]",
        body: { nodes: [{ id: "double", type: "transform", expression: "item * 2" }] },
      },
      { id: "sent", type: "wait", event: "shipped" },
      { id: "close", type: "human_gate", gate_type: "approval", message_template: "Close it?" },
    ],
    edges: [
      { from: "each", to: "sent" },
      { from: "sent", to: "close" },
    ],
  },
});
