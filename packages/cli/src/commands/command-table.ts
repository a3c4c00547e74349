import type { SettingName } from "../settings/setting-table.ts";
import type { Command } from "./command.ts";

const LIMIT = { form: "--limit <count>", purpose: "how many to list (default: 20)" } as const;
const THREAD = { form: "--thread <id>", purpose: "continue this thread (default: a new one)" } as const;
const AGENT = { form: "[agent]", purpose: "id of the agent (default: `default`, or the first one)" } as const;

const STORE: readonly SettingName[] = ["storageDir", "databaseUrl", "agents", "config", "tenant"];
const WORK: readonly SettingName[] = ["config", "demo", "model", "storageDir", "databaseUrl", "tenant", "log"];
const SERVE: readonly SettingName[] = [
  "port",
  "httpAddr",
  ...WORK,
  "requireKeys",
  "allowedHosts",
  "allowedOrigins",
  "instanceId",
  "role",
  "drainMs",
  "noticeMs",
  "migrate",
  "natsUrl",
  "tensorzeroUrl",
  "mcpServer",
];

/** Every command there is. `--help` and the reference page are made of this table. */
export const COMMANDS: readonly Command[] = [
  {
    name: "dev",
    purpose: "serves the agents of a module and reloads them when its code changes; runs continue after a reload",
    takesModule: true,
    settings: SERVE,
    run: async (input) => (await import("./dev.ts")).dev(input),
  },
  {
    name: "serve",
    purpose: "serves agents over HTTP, with the studio at /",
    takesModule: true,
    settings: SERVE,
    run: async (input) => (await import("./serve.ts")).serve(input),
  },
  {
    name: "run",
    purpose: "runs an agent once and prints its answer",
    takesModule: true,
    arguments: [AGENT, { form: "<text>", purpose: "the message to the agent; - reads standard input" }],
    options: [THREAD],
    settings: WORK,
    run: async (input) => (await import("./run.ts")).runAgent(input),
  },
  {
    name: "chat",
    purpose: "talks with an agent, and asks you when a tool call needs a decision",
    takesModule: true,
    arguments: [AGENT],
    options: [THREAD],
    settings: WORK,
    run: async (input) => (await import("./chat.ts")).chat(input),
  },
  {
    name: "serve-mcp",
    purpose: "serves agents as tools to one MCP client over standard input and output",
    takesModule: true,
    settings: WORK,
    run: async (input) => (await import("./serve-mcp.ts")).serveMcp(input),
  },
  {
    name: "mcp",
    purpose: "lets an assistant in an editor look into runs and threads, over standard input and output",
    options: [{ form: "--allow-decisions", purpose: "the assistant may also decide about tool calls that wait" }],
    settings: STORE,
    run: async (input) => (await import("./mcp.ts")).mcp(input),
  },
  {
    name: "acp",
    purpose: "serves agents to an editor over standard input and output, in the Agent Client Protocol",
    takesModule: true,
    arguments: [AGENT],
    settings: WORK,
    run: async (input) => (await import("./acp.ts")).acp(input),
  },
  {
    name: "threads list",
    purpose: "lists threads, newest first",
    isDefault: true,
    options: [LIMIT],
    settings: STORE,
    run: async (input) => (await import("./threads.ts")).listThreads(input),
  },
  {
    name: "threads show",
    purpose: "shows the messages and the state of a thread",
    arguments: [{ form: "<thread>", purpose: "id of the thread" }],
    settings: STORE,
    run: async (input) => (await import("./threads.ts")).showThread(input),
  },
  {
    name: "threads delete",
    purpose: "deletes a thread with its messages, runs and state",
    arguments: [{ form: "<thread>", purpose: "id of the thread" }],
    settings: STORE,
    run: async (input) => (await import("./threads.ts")).deleteThread(input),
  },
  {
    name: "runs list",
    purpose: "lists runs, newest first",
    isDefault: true,
    options: [
      { form: "--thread <id>", purpose: "only runs of this thread" },
      { form: "--status <status>", purpose: "only runs that are running, waiting or done" },
      LIMIT,
    ],
    settings: STORE,
    run: async (input) => (await import("./runs.ts")).listRuns(input),
  },
  {
    name: "runs show",
    purpose: "shows a run and its tool calls",
    arguments: [{ form: "<run>", purpose: "id of the run" }],
    settings: STORE,
    run: async (input) => (await import("./runs.ts")).showRun(input),
  },
  {
    name: "runs events",
    purpose: "prints the events of a run",
    arguments: [{ form: "<run>", purpose: "id of the run" }],
    options: [
      { form: "--follow", purpose: "stay while the run waits for decisions, until it is done" },
      { form: "--after <cursor>", purpose: "only events after this one" },
    ],
    settings: STORE,
    run: async (input) => (await import("./runs.ts")).printEvents(input),
  },
  {
    name: "runs export",
    purpose: "prints a finished run with its recording as one JSON value, for `reprise replay <file>`",
    arguments: [{ form: "<run>", purpose: "id of the run" }],
    settings: STORE,
    run: async (input) => (await import("./runs.ts")).exportRun(input),
  },
  {
    name: "runs cancel",
    purpose: "cancels a run",
    arguments: [{ form: "<run>", purpose: "id of the run" }],
    options: [{ form: "--reason <text>", purpose: "why; kept with the run" }],
    settings: STORE,
    run: async (input) => (await import("./runs.ts")).cancelRun(input),
  },
  {
    name: "decide",
    purpose: "decides about a tool call that waits; without a call, lists the calls that wait",
    arguments: [
      { form: "[call]", purpose: "id of the call" },
      { form: "[action]", purpose: "approve, deny, edit (with --arguments) or supply (with --result)" },
    ],
    options: [
      { form: "--arguments <json>", purpose: "run the call with these arguments instead" },
      { form: "--result <json>", purpose: "use this result instead of running the tool" },
      { form: "--reason <text>", purpose: "why; the model reads it" },
      {
        form: "--remember <scope>",
        purpose: "once, thread or always: whether the permission plugin decides later calls so, too",
      },
      { form: "--thread <id>", purpose: "list only calls of this thread" },
    ],
    settings: STORE,
    run: async (input) => (await import("./decide.ts")).decide(input),
  },
  {
    name: "replay",
    purpose: "replays a finished run from its recording, without models and tools, and compares every commit",
    takesModule: true,
    arguments: [{ form: "<run>", purpose: "id of the run, or the file of an exported run (.json)" }],
    options: [
      {
        form: "--mode <mode>",
        purpose: "verify needs the recording alone; reexecute also asks today's plugins and rules (default: verify)",
      },
    ],
    settings: STORE,
    run: async (input) => (await import("./replay.ts")).replay(input),
  },
  {
    name: "eval run",
    purpose: "plays cases, which are recorded runs, and checks what comes of them",
    isDefault: true,
    takesModule: true,
    arguments: [{ form: "[cases...]", purpose: "files that end in .case.json, or folders with them (default: evals)" }],
    options: [
      {
        form: "--mode <mode>",
        purpose:
          "verify: the recording against itself; rescript: recorded answers, agents of today; rerun: live models, recorded tools; live (default: rescript)",
      },
      { form: "--agent <id>", purpose: "plays every case to this agent instead of the recorded one" },
      { form: "--trials <count>", purpose: "how often each case is played (default: 1)" },
      {
        form: "--allow-reads [tools]",
        purpose: "lets a rerun really call reading tools: all, or ids with commas between",
      },
      {
        form: "--allow-writes",
        purpose: "lets the mode live call tools that change something, which they then really do",
      },
      {
        form: "--judge",
        purpose: "asks the models of judges in verify and rescript too, and writes into the cases what they say",
      },
      { form: "--baseline <file>", purpose: "compares with this baseline; a case of it that is not evaluated fails" },
      { form: "--update-baseline", purpose: "writes the result to the file of --baseline instead" },
      { form: "--junit <file>", purpose: "writes the result as JUnit XML" },
      { form: "--markdown <file>", purpose: "writes the result as Markdown, for a pull request" },
      {
        form: "--fail-on <verdict>",
        purpose: "warned or failed: from which verdict on the exit code is 1 (default: failed)",
      },
      { form: "--name <text>", purpose: "a name for the result" },
      { form: "--keep", purpose: "keeps the result in the store, for the studio" },
    ],
    settings: STORE,
    run: async (input) => (await import("./eval.ts")).runEvaluation(input),
  },
  {
    name: "eval save",
    purpose: "saves a finished run as a case, without personal data and secrets",
    arguments: [
      { form: "<run>", purpose: "id of the run, or the file of an exported run (.json)" },
      { form: "[file]", purpose: "where the case goes (default: a file named after its id, in evals)" },
    ],
    options: [
      { form: "--id <id>", purpose: "id of the case (default: from the file, or the agent and the run)" },
      { form: "--description <text>", purpose: "what the case is about" },
      { form: "--up-to-step <number>", purpose: "the last step of the case (default: the whole run)" },
      { form: "--redact <text...>", purpose: "more texts to take out, such as a name" },
      { form: "--redact-fields <names...>", purpose: "more fields whose values are taken out" },
      { form: "--force", purpose: "replaces a file that is there" },
    ],
    settings: STORE,
    run: async (input) => (await import("./eval-save.ts")).saveRunAsCase(input),
  },
  {
    name: "eval mine",
    purpose: "plays stored runs under other rules and lists what would differ, without models and tools",
    takesModule: true,
    options: [
      { form: "--policy <file>", purpose: "a JSON file with permission, budget, max_rounds or lists of tools" },
      { form: "--since <time>", purpose: "only runs that began within this time, as in 12h or 7d (default: all)" },
      { form: "--agent <id>", purpose: "only runs of this agent" },
    ],
    settings: STORE,
    run: async (input) => (await import("./eval-mine.ts")).mineStoredRuns(input),
  },
  {
    name: "fork",
    purpose: "makes a new thread from a version of another one",
    arguments: [{ form: "<thread>", purpose: "id of the thread" }],
    options: [
      { form: "--at <version>", purpose: "the version to begin with (default: the latest)" },
      { form: "--as <id>", purpose: "id of the new thread (default: a new id)" },
    ],
    settings: STORE,
    run: async (input) => (await import("./fork.ts")).fork(input),
  },
  {
    name: "config check",
    purpose: "checks the agents and the configuration, and lists every mistake",
    settings: ["agents", "config"],
    run: async (input) => (await import("./config.ts")).checkConfig(input),
  },
  {
    name: "config schema",
    purpose: "prints the JSON Schema of the configuration",
    run: async (input) => (await import("./config.ts")).printSchema(input),
  },
  {
    name: "config show",
    purpose: "prints the configuration without secrets, and the source of each setting",
    settings: ["agents", "config"],
    run: async (input) => (await import("./config.ts")).showConfig(input),
  },
  {
    name: "workflow run",
    purpose: "runs a workflow and prints what its nodes do; asks you at gates",
    arguments: [{ form: "<workflow>", purpose: "a YAML or JSON file, or the id of a workflow of the configuration" }],
    options: [
      {
        form: "--input <name=value...>",
        purpose: "inputs; a value is JSON where its input is no text, and @file reads one",
      },
      THREAD,
    ],
    settings: [...WORK, "agents"],
    run: async (input) => (await import("./workflow-run.ts")).runWorkflow(input),
  },
  {
    name: "workflow validate",
    purpose: "checks workflow documents and agent files, and lists every mistake with its line and column",
    arguments: [
      { form: "<files...>", purpose: "YAML or JSON files; those without `workflow` are agents of the others" },
    ],
    run: async (input) => (await import("./workflow.ts")).validateWorkflows(input),
  },
  {
    name: "workflow graph",
    purpose: "draws a workflow in the order in which its nodes run",
    arguments: [{ form: "<file>", purpose: "a YAML or JSON file" }],
    options: [{ form: "--format <format>", purpose: "mermaid or json (default: mermaid)" }],
    run: async (input) => (await import("./workflow.ts")).drawWorkflow(input),
  },
  {
    name: "workflow schema",
    purpose: "prints the JSON Schema of workflow documents, for editors",
    run: async (input) => (await import("./workflow.ts")).printWorkflowSchema(input),
  },
  {
    name: "keys create",
    purpose: "makes an API key and prints it, this once",
    options: [
      { form: "--name <text>", purpose: "a name for people: who has it, what for" },
      {
        form: "--scopes <scopes>",
        purpose: "read, run, decide or admin, separated by commas (default: read,run,decide)",
      },
      { form: "--expires <time>", purpose: "when it ends, as in 90m, 12h or 30d (default: never)" },
    ],
    settings: STORE,
    run: async (input) => (await import("./keys.ts")).createKey(input),
  },
  {
    name: "keys list",
    purpose: "lists API keys",
    isDefault: true,
    settings: STORE,
    run: async (input) => (await import("./keys.ts")).listKeys(input),
  },
  {
    name: "keys revoke",
    purpose: "revokes an API key at once",
    arguments: [{ form: "<key>", purpose: "id of the key" }],
    settings: STORE,
    run: async (input) => (await import("./keys.ts")).revokeKey(input),
  },
  {
    name: "backup",
    purpose: "copies the SQLite file of the store, also under a running server",
    arguments: [{ form: "<file>", purpose: "where the copy goes; the file must not exist yet" }],
    settings: ["storageDir", "config"],
    run: async (input) => (await import("./backup.ts")).backup(input),
  },
  {
    name: "migrate",
    purpose: "creates or updates the tables of Postgres and ends, for processes that start with `--migrate never`",
    settings: ["databaseUrl", "config"],
    run: async (input) => (await import("./migrate.ts")).migrate(input),
  },
  {
    name: "doctor",
    purpose: "checks configuration, models, store and port, and says how to fix each problem",
    settings: [...STORE, "port", "httpAddr", "model", "demo"],
    run: async (input) => (await import("./doctor.ts")).doctor(input),
  },
];
