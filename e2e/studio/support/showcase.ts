import { setTimeout as delay } from "node:timers/promises";
import type { Store, StoredChangeset, TenantStore } from "@reprise/contracts";
import {
  createRuntime,
  defineAgent,
  defineState,
  defineTool,
  type LanguageModel,
  memory,
  type Runtime,
  scriptedModel,
  suspendTool,
  usd,
} from "reprise";
import { type Definitions, toolResult } from "reprise/advanced";
import { agentTools } from "reprise/plugins/agent-tools";
import { generativeUi } from "reprise/plugins/generative-ui";
import { permission } from "reprise/plugins/permission";
import type { Script } from "reprise/testing";
import { z } from "zod";

/** A store whose threads show everything that the studio can show: pictures are taken of it, and tests walk through it. */
export interface Showcase {
  readonly runtime: Runtime;
  /** Of its agents, to play cases to. */
  readonly definitions: Definitions;
  /** Has an agent answer on a thread, until the run is over or waits. Returns the id of the run. */
  answer(agent: string, threadId: string, input: string): Promise<string>;
  /** Leaves a call with an unknown outcome: its process ended while the tool was at work. */
  readonly unknownThread: string;
  /** Approves what a run asks for, and waits until it is done. */
  approve(runId: string): Promise<void>;
  /** From now on the store hands out a word of this thread's events other than it was stored. */
  tamper(threadId: string): void;
}

/** How many agents work for the editor in chief, herself included. */
export const FLEET = 50;
const DESKS = ["politics", "science", "culture", "sport", "economy", "weather", "travel"];
const REPORTERS = 6;

const CATALOG = "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json";

/** A form as an agent writes it, in A2UI. */
const TABLE_FORM = [
  { version: "v0.9", createSurface: { surfaceId: "booking", catalogId: CATALOG } },
  {
    version: "v0.9",
    updateComponents: {
      surfaceId: "booking",
      components: [
        { id: "root", component: "Card", child: "column" },
        { id: "column", component: "Column", children: ["title", "about", "name", "row", "terrace", "book"] },
        { id: "title", component: "Text", text: "A table for two", variant: "h2" },
        { id: "about", component: "Text", text: { path: "/about" } },
        { id: "name", component: "TextField", label: "Name", value: { path: "/name" } },
        { id: "row", component: "Row", children: ["date", "guests"] },
        { id: "date", component: "DateTimeInput", label: "Day", value: { path: "/date" }, enableDate: true },
        { id: "guests", component: "Slider", label: "Guests", value: { path: "/guests" }, min: 1, max: 8 },
        { id: "terrace", component: "CheckBox", label: "On the terrace", value: { path: "/terrace" } },
        {
          id: "book",
          component: "Button",
          child: "label",
          variant: "primary",
          action: { event: { name: "book", context: { name: { path: "/name" }, date: { path: "/date" } } } },
        },
        { id: "label", component: "Text", text: "Book the table" },
      ],
    },
  },
  {
    version: "v0.9",
    updateDataModel: {
      surfaceId: "booking",
      value: { about: "Trattoria Lena, 19:30", name: "Ann", date: "2026-11-20", guests: 2, terrace: true },
    },
  },
];

/** A page as an MCP server gives it, with a script that the host starts. */
const MCP_PAGE = `<!doctype html><style>body{font:14px system-ui;margin:12px}</style><p id="place">…</p><script>
addEventListener("message", ({ data }) => {
  if (data.method === "ui/notifications/tool-result") document.getElementById("place").textContent = data.params.content[0].text;
});
parent.postMessage({ jsonrpc: "2.0", id: 1, method: "ui/initialize", params: { protocolVersion: "2026-01-26" } }, "*");
parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/initialized" }, "*");
</script>`;

export async function openShowcase({ paceMs = 0 }: { readonly paceMs?: number } = {}): Promise<Showcase> {
  const say = (script: Script, id?: string): LanguageModel => paced(scriptedModel(script, id), paceMs);
  const usage = (promptTokens: number, completionTokens: number) => ({ usage: { promptTokens, completionTokens } });
  const orders = defineState({
    path: "orders",
    initial: (): Record<string, string> => ({}),
    actions: { note: (all, [order, status]: readonly [string, string]) => ({ ...all, [order]: status }) },
  });
  const lookUp = defineTool({
    id: "look_up_order",
    description: "Reads an order.",
    class: "read_only",
    inputSchema: z.object({ order: z.string() }),
    async execute({ order }, { state }) {
      await delay(paceMs / 3);
      state.apply(orders.note([order, "delivered"]));
      return { order, item: "Reading lamp, brass", euros: 80, status: "delivered", delivered: "2026-11-09" };
    },
  });
  const policy = defineTool({
    id: "read_policy",
    description: "Reads the rules for refunds.",
    class: "read_only",
    inputSchema: z.object({}),
    async execute() {
      await delay(paceMs / 2);
      return "Damaged goods are refunded in full within 30 days.";
    },
  });
  const refund = defineTool({
    id: "refund",
    description: "Pays money back to a customer.",
    inputSchema: z.object({ order: z.string(), euros: z.number().max(500), reason: z.string() }),
    needsApproval: true,
    async execute({ order, euros }, { state }) {
      await delay(paceMs / 2);
      state.apply(orders.note([order, "refunded"]));
      return { order, euros, receipt: "R-2041" };
    },
  });
  const desk: Script = ({ messages }) => {
    const last = messages.at(-1);
    const order =
      /\d{4}/.exec(JSON.stringify(messages.findLast(({ role }) => role === "user")?.content))?.[0] ?? "1042";
    if (last?.role === "user")
      return [
        { reasoning: "The customer wants money back. Look at the order and the rules first." },
        { text: ["I will look at the order ", "and at our rules for refunds."] },
        { call: "look_up_order", arguments: { order } },
        { call: "read_policy" },
        usage(812, 64),
      ];
    if (
      last?.role === "tool" &&
      !messages.some(({ tool_calls = [] }) => tool_calls.some(({ name }) => name === "refund"))
    )
      return [
        { text: "The lamp arrived nine days ago, so a refund in full is within the rules." },
        { call: "refund", arguments: { order, euros: 80, reason: "Arrived with a broken shade." } },
        usage(1_094, 58),
      ];
    const text = `Order **${order}** is settled:\n\n| | |\n|---|---|\n| refunded | €80.00 |\n| receipt | \`R-2041\` |\n\nThe money arrives in two to three days.`;
    return [{ text: text.split(/(?<=\s)/) }, usage(1_240, 71)];
  };
  const charge = defineTool({
    id: "charge_card",
    description: "Charges a card.",
    inputSchema: z.object({ card: z.string(), euros: z.number() }),
    execute: () => new Promise<never>(() => undefined),
  });
  const clerk = defineAgent({
    id: "billing",
    name: "Billing",
    description: "Charges cards.",
    tools: [charge],
    model: scriptedModel(({ messages }) =>
      messages.at(-1)?.role === "user"
        ? [{ call: "charge_card", arguments: { card: "•••• 4242", euros: 120 } }]
        : "The card was charged.",
    ),
  });
  const tampered = new Set<string>();
  const store = tamperWith(memory(), tampered);
  const unknownThread = "unknown-outcome";
  const dying = await createRuntime({ agents: [clerk], store, limits: { closeTimeoutMs: 10 } });
  const charging = await dying.start({ agent: "billing", threadId: unknownThread, input: "Charge 120 euros." });
  for await (const event of charging.events()) if (event.type === "tool_call_ready") break;
  await dying.close();

  const write = defineTool({
    id: "write_file",
    description: "Writes a file.",
    inputSchema: z.object({ path: z.string(), text: z.string() }),
    execute: ({ path }) => `Wrote ${path}.`,
  });
  const show = defineTool({
    id: "show_forecast",
    description: "Shows the weather on a page of its own.",
    class: "read_only",
    inputSchema: z.object({}),
    execute: () =>
      toolResult({
        tool_name: "show_forecast",
        status: "success",
        message: null,
        data: "Lisbon: 21 °C, a light wind from the west.",
        metadata: {
          "mcp.server": "weather",
          "mcp.ui.resourceUri": "ui://weather/forecast",
          "mcp.ui.content": MCP_PAGE,
          "mcp.ui.mimeType": "text/html;profile=mcp-app",
        },
      }),
  });
  const choose = defineTool({
    id: "choose_colour",
    description: "Asks a person for a colour.",
    execute(_, { decision }) {
      if (decision === undefined) return suspendTool({ action: "choose_colour", message: "Which colour shall it be?" });
      return decision.result ?? "no colour";
    },
  });
  const reporters = DESKS.flatMap((topic) =>
    Array.from({ length: REPORTERS }, (_, at) =>
      defineAgent({
        id: `${topic}-${at + 1}`,
        name: `Reporter ${at + 1}, ${topic}`,
        model: say([[{ text: `Ten lines on ${topic}.` }, usage(220, 90)]], "acme/small"),
      }),
    ),
  );
  const desks = DESKS.map((topic) =>
    defineAgent({
      id: `${topic}-desk`,
      name: `${topic} desk`,
      model: say(
        [
          Array.from({ length: REPORTERS }, (_, at) => ({
            call: "agent_run",
            id: `${topic}_${at + 1}`,
            arguments: { agent_id: `${topic}-${at + 1}`, prompt: `Write about ${topic}.` },
          })),
          [{ text: `${topic} is ready.` }, usage(900, 120)],
        ],
        "acme/small",
      ),
      plugins: [agentTools()],
    }),
  );
  const editor = defineAgent({
    id: "editor",
    name: "Editor in chief",
    description: "Has seven desks of six reporters write a newspaper.",
    model: say(
      [
        DESKS.map((topic) => ({
          call: "agent_run",
          id: topic,
          arguments: { agent_id: `${topic}-desk`, prompt: `Prepare the pages on ${topic}.` },
        })),
        [{ text: "The newspaper is ready to print." }, usage(2_000, 300)],
      ],
      "acme/large",
    ),
    plugins: [agentTools()],
  });
  const models = new Map<string, LanguageModel>([
    ["desk", say(desk, "desk")],
    [
      "quick",
      say([[{ text: "I refunded order 1042 at once, without a look at the rules." }, usage(400, 20)]], "quick"),
    ],
    [
      "reader",
      say(
        [
          [{ call: "read_policy" }, usage(300, 20)],
          [{ text: "Done." }, usage(330, 10)],
        ],
        "reader",
      ),
    ],
  ]);
  const priced = (id: string, input: number, output: number) => ({
    id: `acme/${id}`,
    provider: "acme",
    model: id,
    maxOutputTokens: 200,
    pricing: { inputPerMillion: input, outputPerMillion: output },
  });
  const definitions: Definitions = {
    providers: [{ id: "acme", model: (name) => models.get(name) ?? say(["Hello."]) }],
    models: [priced("desk", 3, 15), priced("quick", 0.4, 1.6), priced("reader", 10, 10)],
    agents: [
      defineAgent({
        id: "support",
        name: "Support",
        description: "Answers customers, and refunds orders after a person approved.",
        instructions: "You are the support desk of a lamp shop. Look before you refund.",
        model: "acme/desk",
        tools: [lookUp, policy, refund],
      }),
      defineAgent({
        id: "files",
        name: "Files",
        description: "Writes files, when the rules allow it.",
        tools: [write],
        plugins: [permission({ askExpiresInMs: 900_000 })],
        model: say(({ messages }) =>
          messages.at(-1)?.role === "user"
            ? [{ call: "write_file", arguments: { path: "notes/lamp.md", text: "# Lamp\nBrass, 40 cm." } }]
            : "The file is written.",
        ),
      }),
      defineAgent({
        id: "thrifty",
        name: "Thrifty",
        description: "Stops to ask before it spends more than it was given.",
        model: "acme/reader",
        tools: [policy],
        budget: { limitMicrocents: usd(0.008), onExceeded: "pause" },
      }),
      defineAgent({
        id: "host",
        name: "Host",
        description: "Shows forms and pages.",
        tools: [show],
        plugins: [generativeUi()],
        model: say(({ messages }) => {
          const last = messages.at(-1);
          const said = JSON.stringify(last?.content ?? "");
          if (last?.role === "user" && said.includes("weather")) return [{ call: "show_forecast" }];
          if (last?.role === "user" && said.includes("table"))
            return [{ call: "render_a2ui", arguments: { messages: TABLE_FORM } }];
          if (last?.role === "user") return "Your table is booked.";
          return said.includes("surfaces") ? "When would you like to come?" : "Here is the forecast.";
        }),
      }),
      defineAgent({
        id: "painter",
        name: "Painter",
        description: "Paints what you like, once it knows the colour.",
        tools: [choose],
        model: say(({ messages }) =>
          messages.at(-1)?.role === "user"
            ? [{ call: "choose_colour" }]
            : `Painted in ${textOf(messages.at(-1)?.content)}.`,
        ),
      }),
      editor,
      ...desks,
      ...reporters,
      clerk,
    ],
  };
  const runtime = await createRuntime({ store, ...definitions });
  return {
    runtime,
    definitions,
    unknownThread,
    tamper: (threadId) => void tampered.add(threadId),
    async approve(runId) {
      const run = await runtime.run(runId);
      const outcome = await run.outcome();
      if (outcome.status !== "waiting") throw new Error(`Run ${runId} asks for nothing.`);
      for (const { id } of outcome.open) await runtime.decisions.decide(id, { action: "approve" });
      await run.outcome();
    },
    async answer(agent, threadId, input) {
      const run = await runtime.submit({
        agent_id: agent,
        thread_id: threadId,
        messages: [{ id: `${threadId}-${input.length}`, role: "user", content: input }],
      });
      await run.outcome();
      return run.id;
    },
  };
}

/** A store that does not hand out what it was given, for threads in a list: as after a change behind its back. */
function tamperWith(store: Store, tampered: ReadonlySet<string>): Store {
  const change = (changeset: StoredChangeset): StoredChangeset => ({
    ...changeset,
    events: changeset.events.map((event) =>
      event.type === "text_delta" ? { ...event, data: { ...event.data, delta: `${event.data.delta}!` } } : event,
    ),
  });
  return {
    ...store,
    forTenant(tenant) {
      const own = store.forTenant(tenant);
      return new Proxy(own, {
        get(target, key) {
          if (key !== "readChangesets") return Reflect.get(target, key);
          const read: TenantStore["readChangesets"] = async (threadId, after, limit) => {
            const changesets = await own.readChangesets(threadId, after, limit);
            return tampered.has(threadId) ? changesets.map(change) : changesets;
          };
          return read;
        },
      });
    },
  };
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : "";
}

/** A model that takes its time, so that a picture shows durations as they are in life. */
function paced(model: LanguageModel, ms: number): LanguageModel {
  if (ms === 0) return model;
  return {
    ...model,
    async *stream(request) {
      await delay(ms);
      for await (const chunk of model.stream(request)) {
        await delay(ms / 20);
        yield chunk;
      }
    },
  };
}
