import { readFile } from "node:fs/promises";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { type Agent, createRuntime, defineAgent, defineTool, memory, scriptedModel } from "reprise";
import { createNodeEnv } from "reprise/advanced";
import { type EvalCase, type Experiment, keepExperiment, readCase, runExperiment } from "reprise/evals";
import { permission } from "reprise/plugins/permission";
import { createServer } from "reprise/server";
import { listen, studio } from "reprise/server/node";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { type OpenStudio, openScreen, openStudio } from "./support/open-studio.ts";

const env = createNodeEnv({ log: () => undefined });

const refund = defineTool({
  id: "refund",
  description: "Refunds an order.",
  inputSchema: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
  execute: () => ({ receipt: 7 }),
});

/** Refunds what it is told, if it may. */
function clerk(behavior: "allow" | "deny"): Agent {
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    return last?.role === "tool" ? "That is settled." : [{ call: "refund", arguments: { order: "1042" } }];
  });
  return defineAgent({ id: "clerk", model, tools: [refund], plugins: [permission({ default: behavior })] });
}

describeWithService("chromium", "evaluations in the studio", ({ binary }) => {
  let app: OpenStudio;
  let recorded: string;
  beforeAll(async () => {
    app = await openStudio(binary, [clerk("allow")]);
    const run = await app.runtime.start({
      agent: "clerk",
      threadId: "t",
      input: "Refund order 1042. I am Ada Lovelace, ada@example.com.",
    });
    await run.outcome();
    recorded = run.id;
  }, 120_000);
  afterAll(() => app.close(), 60_000);

  const visit = (path: string, options: Parameters<typeof openScreen>[2] = {}): Promise<Page> =>
    openScreen(app, path, options);

  /** Saves the run as a case by hand, as a person does. */
  async function saveCase(page: Page, name: string): Promise<EvalCase> {
    await page.goto(`${app.url}/runs/${recorded}`);
    await page.getByRole("button", { name: "Save as case" }).click();
    const dialog = page.getByRole("dialog", { name: "Save as case" });
    await dialog.getByRole("textbox", { name: "Name" }).fill(name);
    await dialog.getByRole("textbox", { name: /^Texts to take out too/ }).fill("Ada Lovelace\n");
    await dialog.getByRole("button", { name: "Make the case" }).click();
    const taken = dialog.getByRole("region", { name: "Taken out" });
    await taken.getByText("1 email address", { exact: true }).waitFor();
    await taken.getByText("1 secret or named text", { exact: true }).waitFor();
    const download = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Download" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe(`${name}.case.json`);
    const text = await readFile(await file.path(), "utf8");
    expect([text.includes("Lovelace"), text.includes("ada@")]).toEqual([false, false]);
    return readCase(JSON.parse(text));
  }

  /** Plays cases to a clerk, and keeps what came of it. */
  async function keep(
    name: string,
    behavior: "allow" | "deny",
    cases: readonly EvalCase[],
    more: Partial<Experiment> = {},
  ): Promise<Experiment> {
    const definitions = { agents: [clerk(behavior)] };
    const experiment = { ...(await runExperiment(cases, { mode: "rescript", definitions, env, name })), ...more };
    await keepExperiment(app.runtime.documents, experiment);
    return experiment;
  }

  it("saves a run as a case, says what was taken out, and shows what playing it to a changed agent comes to", async () => {
    const page = await visit("/evals");
    await page.getByRole("heading", { name: "No experiments yet" }).waitFor();
    const evalCase = await saveCase(page, "refund-small");
    const other: EvalCase = { ...evalCase, id: "other" };
    await keep("Before", "allow", [evalCase, other], { started_at: Date.now() - 60_000 });
    const after = await keep("After", "deny", [evalCase], { missing: ["forgotten"] });
    expect(after.verdict).toBe("failed");

    await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Evals" }).click();
    const list = page.getByRole("list", { name: "Experiments" });
    await list.getByRole("link", { name: /^After/ }).waitFor();
    expect(await list.getByRole("listitem").allTextContents()).toEqual([
      expect.stringMatching(/^Afterrescript · 1 failed, 1 missingfailed/),
      expect.stringMatching(/^Beforerescript · 2 passedpassed/),
    ]);

    await list.getByRole("link", { name: /^After/ }).click();
    await page.getByText("A case of the baseline was not evaluated: forgotten").waitFor();
    await page.getByText("0 model calls and 0 tool calls were made.").waitFor();
    const row = page.getByRole("button", { name: /^refund-small/ });
    await row.getByText('call 1 must be refund({"order":"1042"}), succeeded', { exact: false }).waitFor();
    await row.click();
    await page.getByRole("group", { name: "Expected and actual tools" }).waitFor();
    await page.getByRole("list", { name: "Tool calls" }).getByText("failed (", { exact: false }).waitFor();
    await page.getByRole("link", { name: "Open the recorded run" }).click();
    await page.waitForURL(`${app.url}/runs/${recorded}`);
    await page.getByRole("button", { name: "Save as case" }).waitFor();
  }, 90_000);

  it("compares two experiments, whichever was chosen first, and what became worse comes first", async () => {
    const page = await visit("/evals");
    await page.getByRole("checkbox", { name: "Choose After" }).check();
    await page.getByRole("button", { name: "Choose one more to compare" }).waitFor();
    await page.getByRole("checkbox", { name: "Choose Before" }).check();
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByText("1 became worse, 1 removed.").waitFor();
    const cases = page.getByRole("list", { name: "Cases" }).getByRole("listitem");
    expect(await cases.allTextContents()).toEqual([
      expect.stringMatching(/^refund-smallworsepassed.*failed.*tools: call 1 must be refund/),
      expect.stringMatching(/^otherremovedpassed.*No such case\.$/),
    ]);
    await page.getByRole("link", { name: "Before" }).click();
    await page.getByRole("heading", { name: "Before" }).waitFor();
    await page.getByRole("combobox", { name: "Compare with" }).selectOption({ index: 1 });
    await page.getByText("1 became worse, 1 removed.").waitFor();
  }, 60_000);

  it("says of a run that was recorded elsewhere that it is not here, and of a case that could not be played why", async () => {
    const page = await visit("/evals", { expected: /status of 404/ });
    const made = await saveCase(page, "elsewhere");
    const definitions = { agents: [] };
    const experiment = await runExperiment([made], { mode: "rescript", definitions, env, name: "Elsewhere" });
    const [result] = experiment.cases;
    if (result === undefined) throw new Error("There is no result.");
    const changed = { ...experiment, id: "elsewhere", cases: [{ ...result, run_id: "of-another-store" }] };
    await keepExperiment(app.runtime.documents, changed);
    await page.goto(`${app.url}/evals/elsewhere`);
    await page.getByRole("button", { name: /^elsewhere/ }).click();
    await page.getByText("Recorded as run of-another-store, which this server does not have.").waitFor();
    await page.getByText(/^It could not be played: .* \(AGENT_NOT_FOUND\)$/).waitFor();
  }, 60_000);

  it("deletes an experiment after asking, and says of one that is gone that it is gone", async () => {
    const doomed = await keep("Doomed", "allow", []);
    const page = await visit(`/evals/${doomed.id}`, { expected: /status of 404/ });
    await page.getByRole("button", { name: "Delete the experiment" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("heading", { name: "Evaluations" }).waitFor();
    await page.getByRole("link", { name: /^Doomed/ }).waitFor({ state: "detached" });
    await page.goto(`${app.url}/evals/${doomed.id}`);
    await page.getByRole("heading", { name: "There is no such experiment" }).waitFor();
  }, 60_000);

  it("says what a refused case lacks, what cannot be loaded, and what a server does not have", async () => {
    const page = await visit(`/runs/${recorded}`, { expected: /status of (404|422|500)/ });
    await page.getByRole("button", { name: "Save as case" }).click();
    const dialog = page.getByRole("dialog", { name: "Save as case" });
    await page.route("**/v1/runs/*/case", (route) =>
      route.fulfill({ status: 422, json: { error: "Its replay differs in the patch at version 2." } }),
    );
    await dialog.getByRole("button", { name: "Make the case" }).click();
    await dialog.getByRole("alert").getByText("Its replay differs in the patch at version 2.").waitFor();

    await page.route("**/v1/experiments?**", (route) =>
      route.fulfill({ status: 500, json: { error: "internal error" } }),
    );
    await page.goto(`${app.url}/evals`);
    await page.getByRole("heading", { name: "This could not be loaded" }).waitFor();
    await page.unroute("**/v1/experiments?**");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("link", { name: /^Before/ }).waitFor();

    const runtime = await createRuntime({ store: memory() });
    const bare = await listen(createServer({ runtime, pages: studio() }), { port: 0 });
    onTestFinished(async () => {
      await bare.close();
      await runtime.close();
    });
    await page.goto(`${bare.url}/evals`);
    await page.getByRole("heading", { name: "This server has no evaluations" }).waitFor();
  }, 60_000);

  it.each([
    { colorScheme: "light", width: 1280 },
    { colorScheme: "dark", width: 1280 },
    { colorScheme: "light", width: 390 },
    { colorScheme: "dark", width: 390 },
  ] as const)(
    "has no accessibility violation ($colorScheme, $width px)",
    async ({ colorScheme, width }) => {
      const { items } = await app.runtime.documents.listDocuments({ kind: "eval.listed" });
      const idOf = (name: string): string => {
        // As it was kept above.
        const summaries = items.map(({ body }) => body as { readonly id: string; readonly name?: string });
        return summaries.find((each) => each.name === name)?.id ?? "";
      };
      const options = { viewport: { width, height: 800 }, colorScheme, reducedMotion: "reduce" } as const;
      const page = await visit("/evals", options);
      const violations: string[] = [];
      const scan = async (what: string): Promise<void> => {
        await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
        const { violations: found } = await new AxeBuilder({ page }).analyze();
        for (const { id, nodes } of found) violations.push(`${what} ${id}: ${nodes.map(({ html }) => html).join(" ")}`);
        if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
          violations.push(`${what} is wider than the window`);
      };
      await page.getByRole("checkbox", { name: "Choose After" }).check();
      await scan("the list");
      await page.goto(`${app.url}/evals/${idOf("After")}`);
      await page.getByRole("button", { name: /^refund-small/ }).click();
      await page.getByRole("link", { name: "Open the recorded run" }).waitFor();
      await scan("an experiment");
      await page.goto(`${app.url}/evals/${idOf("Before")}/compare/${idOf("After")}`);
      await page.getByText("1 became worse, 1 removed.").waitFor();
      await scan("a comparison");
      await page.goto(`${app.url}/runs/${recorded}`);
      await page.getByRole("button", { name: "Save as case" }).click();
      await page.getByRole("dialog", { name: "Save as case" }).waitFor();
      await scan("the dialog");
      await page.getByRole("button", { name: "Make the case" }).click();
      await page.getByRole("region", { name: "Taken out" }).waitFor();
      await scan("a case that was made");
      expect(violations).toEqual([]);
    },
    90_000,
  );
});
