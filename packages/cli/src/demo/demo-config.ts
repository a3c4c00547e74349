import type { JsonObject } from "@reprise/state";
import { ruledPlugins } from "./demo-plugins.ts";

/** The id of the provider whose models need no key. */
const DEMO_PROVIDER = "demo";

/** An agent of the demonstration, with the demonstration model it has where there is no real one. */
interface DemoAgent {
  readonly model: string;
  readonly spec: JsonObject;
}

const AGENTS: readonly DemoAgent[] = [
  {
    model: "assistant",
    spec: {
      id: "default",
      name: "Default",
      description: "Calls the tool your words ask for.",
      system_prompt: "You are a helpful assistant. Use the tools you have when they help, and answer briefly.",
    },
  },
  {
    model: "assistant",
    spec: {
      id: "assistant",
      name: "Assistant",
      description: "Reads and works things out; changes nothing and never asks.",
      system_prompt: "You are a helpful assistant. Use the tools you have when they help, and answer briefly.",
      excluded_tools: ["sendEmail", "finish"],
    },
  },
  {
    model: "approver",
    spec: {
      id: "approver",
      name: "Approver",
      description: "Asks for your approval before it does anything.",
      system_prompt:
        "Whatever the user wants, send it as a mail with the tool sendEmail. The user approves each mail first.",
      allowed_tools: ["sendEmail"],
    },
  },
  {
    model: "stopper",
    spec: {
      id: "stopper",
      name: "Stopper",
      description: "Would go on for ever; stop policies end its runs after four steps, or when it calls finish.",
      system_prompt:
        "Repeat what the user says with the tool echo, again and again. Call finish when the user asks you to.",
      allowed_tools: ["echo", "finish"],
      stop_condition_specs: [
        { type: "max_rounds", rounds: 4 },
        { type: "stop_on_tool", tool_name: "finish" },
      ],
    },
  },
  {
    model: "researcher",
    spec: {
      id: "researcher",
      name: "Researcher",
      description:
        "Works in steps: looks several things up at the same time, has the assistant work something out, reports.",
      system_prompt:
        "You research. Look up every word you need at once with parallel calls of lookUp, have the agent assistant calculate, then report what you found.",
      allowed_tools: ["lookUp", "clock", "serverInfo"],
      plugin_ids: ["agent_tools"],
      allowed_agents: ["assistant"],
    },
  },
  {
    model: "assistant",
    spec: {
      id: "ruled",
      name: "Ruled",
      description:
        "Works under rules: reads freely, asks before anything else, and remembers your answer if you say so.",
      system_prompt:
        "You are a helpful assistant. Use the tools you have when they help, and answer briefly. Some calls are asked about first.",
      excluded_tools: ["failingTool", "slowTask"],
      context_policy: { max_context_tokens: 100_000, autocompact_threshold: 60_000 },
      ...ruledPlugins(),
    },
  },
];

/**
 * The agents of `npm start`: on the model that is given, or on the demonstration's own. A command that speaks MCP gives its tools to all of
 * them.
 */
export function demoConfig(model: string | undefined, mcpCommand?: string): JsonObject {
  const config = configOf(AGENTS, model);
  const [command, ...args] = splitCommand(mcpCommand ?? "");
  if (command === undefined || !Array.isArray(config.agents)) return config;
  const added = { mcp_demo: { command, args } };
  return {
    ...config,
    agents: config.agents.map(({ plugin_ids = [], sections = {}, ...agent }: JsonObject) => ({
      ...agent,
      plugin_ids: [...new Set([...(plugin_ids as readonly string[]), "mcp"])],
      sections: { ...(sections as JsonObject), mcp: { servers: { ...serversOf(sections as JsonObject), ...added } } },
    })),
  };
}

/** The words of a command. Quotes keep words together; no shell reads them. */
function splitCommand(command: string): readonly string[] {
  return Array.from(
    command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, one, other, word]) => one ?? other ?? word ?? "",
  );
}

/** The default without a configuration: one agent. */
export function defaultConfig(model: string | undefined): JsonObject {
  return configOf(AGENTS.slice(0, 1), model);
}

function configOf(agents: readonly DemoAgent[], model: string | undefined): JsonObject {
  const names = [...new Set(agents.map((agent) => agent.model))];
  const demoModels = names.map((name) => [
    `${DEMO_PROVIDER}/${name}`,
    { provider: DEMO_PROVIDER, model: name, pricing: { input_per_million: 0, output_per_million: 0 } },
  ]);
  return {
    agents: agents.map((agent) => ({ ...agent.spec, model: model ?? `${DEMO_PROVIDER}/${agent.model}` })),
    ...(model === undefined && {
      models: Object.fromEntries(demoModels),
      providers: { [DEMO_PROVIDER]: { adapter_kind: "scripted" } },
    }),
  };
}

/** The MCP servers that an agent of the demonstration has anyway. */
function serversOf({ mcp }: JsonObject): JsonObject {
  return ((mcp as JsonObject | undefined)?.servers ?? {}) as JsonObject;
}
