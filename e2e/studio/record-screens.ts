import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { createNodeEnv } from "reprise/advanced";
import { type EvalCase, evaluations, keepExperiment, runExperiment, saveCase } from "reprise/evals";
import { createServer } from "reprise/server";
import { listen, studio } from "reprise/server/node";
import { ROOT } from "../../scripts/repository.mjs";
import { findService } from "../../scripts/services/find-service.mjs";
import { openShowcase } from "./support/showcase.ts";
import { startServer } from "./support/start-server.ts";

// Takes the pictures of the documentation: the screens of the studio, with the agents that its tests use and with those of `npm start`.

const PICTURES = join(ROOT, "docs/pictures");
/** So that models and tools take the time that they take elsewhere. */
const PACE_MS = 700;

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly colorScheme?: "light" | "dark";
  /** Brings the page to where the picture is taken. */
  readonly until: (page: Page) => Promise<unknown>;
}

async function take(browser: Browser, url: string, { name, path, colorScheme = "light", until }: Shot): Promise<void> {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 800 },
    colorScheme,
    reducedMotion: "reduce",
  });
  await page.goto(url + path);
  await until(page);
  await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
  await page.screenshot({ path: join(PICTURES, `studio-${name}.png`) });
  await page.close();
}

/** Plays a run as cases with several expectations, and keeps what came of it. Returns the id of the experiment. */
async function keepCases(runId: string): Promise<string> {
  const env = createNodeEnv({ log: () => undefined });
  const evalCase = await saveCase(await show.runtime.exportRun(runId), { id: "refund-2077", env });
  const calls = evalCase.expect.tools?.calls ?? [];
  const asked = (call: (typeof calls)[number]) =>
    call.tool === "refund" ? { ...call, arguments: { order: "2077", euros: 60 } } : call;
  const cases: readonly EvalCase[] = [
    evalCase,
    {
      ...evalCase,
      id: "refunds-the-price",
      expect: { tools: { match: "exact", calls: calls.map(asked) }, ended: "natural" },
    },
    { ...evalCase, id: "stays-short", expect: { limits: { steps: 2 }, warn_only: ["limits"] } },
  ];
  const options = { mode: "rescript", definitions: show.definitions, env, name: "Before the release" } as const;
  const experiment = await runExperiment(cases, options);
  await keepExperiment(show.runtime.documents, experiment);
  return experiment.id;
}

const service = findService("chromium");
if (!service.found) throw new Error(`The pictures need Chromium: ${service.reason}.`);
mkdirSync(PICTURES, { recursive: true });
const browser = await chromium.launch({ executablePath: service.binary, args: ["--no-sandbox"] });
const folder = mkdtempSync(join(tmpdir(), "reprise-screens-"));
const show = await openShowcase({ paceMs: PACE_MS });
const served = await listen(createServer({ runtime: show.runtime, pages: studio(), evals: evaluations() }), {
  port: 0,
});
const demonstration = await startServer({ folder });
try {
  const done = await show.answer("support", "refund-2077", "Please refund order 2077.");
  await show.approve(done);
  await show.answer("support", "refund-1042", "My lamp arrived broken. Please refund order 1042.");
  const paper = await show.answer("editor", "newspaper", "Make a newspaper.");

  const experiment = await keepCases(done);

  const shots: readonly Shot[] = [
    {
      name: "chat",
      path: "/threads/refund-1042",
      until: (page) => page.getByRole("button", { name: "Approve" }).first().waitFor(),
    },
    {
      name: "rewind",
      path: "/threads/refund-2077?at=3",
      until: async (page) => {
        await page.getByText("Back to now").waitFor();
        await page.getByRole("tab", { name: "State" }).click();
      },
    },
    { name: "inbox", path: "/inbox", until: (page) => page.getByText("Exact arguments").first().waitFor() },
    {
      name: "run",
      path: `/runs/${paper}`,
      colorScheme: "dark",
      until: (page) => page.getByText("Waterfall").first().waitFor(),
    },
    {
      name: "evals",
      path: `/evals/${experiment}`,
      until: async (page) => {
        await page.getByRole("button", { name: /^refunds-the-price/ }).click();
        await page.getByText("Open the recorded run").waitFor();
      },
    },
  ];
  for (const shot of shots) await take(browser, served.url, shot);

  await take(browser, demonstration.url, {
    name: "workflow",
    path: "/workflows/publish-note",
    colorScheme: "dark",
    until: async (page) => {
      await page.getByRole("button", { name: "Start", exact: true }).click();
      await page
        .getByText(/^Publish the note about/)
        .first()
        .waitFor();
    },
  });
} finally {
  await browser.close();
  await Promise.all([served.close(), demonstration.stop()]);
  await show.runtime.close();
  rmSync(folder, { recursive: true, force: true });
}
