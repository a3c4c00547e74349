import type { Command } from "./command.ts";

const LIMIT = { form: "--limit <count>", purpose: "how many, 20 unless given" } as const;

/** Every command there is. `--help` and the reference page are made of this table. */
export const COMMANDS: readonly Command[] = [
  {
    name: "serve",
    purpose: "serves the agents over HTTP, with a page to chat at /",
    run: async (input) => (await import("./serve.ts")).serve(input),
  },
  {
    name: "run",
    purpose: "runs an agent once and prints what it says",
    arguments: [
      { form: "<agent>", purpose: "the agent's id" },
      { form: "<text>", purpose: "what to say to it; - reads standard input" },
    ],
    options: [{ form: "--thread <id>", purpose: "go on with this thread; a new one unless given" }],
    run: async (input) => (await import("./run.ts")).runAgent(input),
  },
  {
    name: "chat",
    purpose: "talks with an agent; asks you when a tool call needs a decision",
    arguments: [{ form: "[agent]", purpose: "the agent's id; `default` or the first one unless given" }],
    options: [{ form: "--thread <id>", purpose: "go on with this thread; a new one unless given" }],
    run: async (input) => (await import("./chat.ts")).chat(input),
  },
  {
    name: "threads list",
    purpose: "lists threads, newest first",
    isDefault: true,
    options: [LIMIT],
    run: async (input) => (await import("./threads.ts")).listThreads(input),
  },
  {
    name: "threads show",
    purpose: "shows a thread: its messages and its state",
    arguments: [{ form: "<thread>", purpose: "the thread's id" }],
    run: async (input) => (await import("./threads.ts")).showThread(input),
  },
  {
    name: "threads delete",
    purpose: "deletes a thread with everything it has",
    arguments: [{ form: "<thread>", purpose: "the thread's id" }],
    run: async (input) => (await import("./threads.ts")).deleteThread(input),
  },
  {
    name: "runs list",
    purpose: "lists runs, newest first",
    isDefault: true,
    options: [
      { form: "--thread <id>", purpose: "only runs of this thread" },
      { form: "--status <status>", purpose: "running, waiting or done" },
      LIMIT,
    ],
    run: async (input) => (await import("./runs.ts")).listRuns(input),
  },
  {
    name: "runs show",
    purpose: "shows a run and its tool calls",
    arguments: [{ form: "<run>", purpose: "the run's id" }],
    run: async (input) => (await import("./runs.ts")).showRun(input),
  },
  {
    name: "runs events",
    purpose: "prints a run's events",
    arguments: [{ form: "<run>", purpose: "the run's id" }],
    options: [
      { form: "--follow", purpose: "stay while the run waits for decisions, until it is done" },
      { form: "--after <cursor>", purpose: "only what comes after this event" },
    ],
    run: async (input) => (await import("./runs.ts")).printEvents(input),
  },
  {
    name: "runs cancel",
    purpose: "asks a run to end",
    arguments: [{ form: "<run>", purpose: "the run's id" }],
    options: [{ form: "--reason <text>", purpose: "why" }],
    run: async (input) => (await import("./runs.ts")).cancelRun(input),
  },
  {
    name: "decide",
    purpose: "answers a tool call that waits; without a call, lists what waits",
    arguments: [
      { form: "[call]", purpose: "the call's id" },
      { form: "[action]", purpose: "approve, deny, edit (with --arguments) or supply (with --result)" },
    ],
    options: [
      { form: "--arguments <json>", purpose: "the arguments to run it with instead" },
      { form: "--result <json>", purpose: "the result to use instead of running it" },
      { form: "--reason <text>", purpose: "why; the model reads it" },
      { form: "--thread <id>", purpose: "list only what waits on this thread" },
    ],
    run: async (input) => (await import("./decide.ts")).decide(input),
  },
  {
    name: "replay",
    purpose: "runs a finished run again from what was stored, without a model and without tools, and compares",
    arguments: [{ form: "<run>", purpose: "the run's id" }],
    options: [{ form: "--mode <mode>", purpose: "verify, or reexecute: with today's plugins and rules" }],
    run: async (input) => (await import("./replay.ts")).replay(input),
  },
  {
    name: "fork",
    purpose: "makes a new thread that begins where another one is, or was",
    arguments: [{ form: "<thread>", purpose: "the thread's id" }],
    options: [
      { form: "--at <version>", purpose: "the version to begin with; the present one unless given" },
      { form: "--as <id>", purpose: "the new thread's id; made up unless given" },
    ],
    run: async (input) => (await import("./fork.ts")).fork(input),
  },
  {
    name: "config check",
    purpose: "checks the configuration and lists everything that is wrong with it",
    run: async (input) => (await import("./config.ts")).checkConfig(input),
  },
  {
    name: "config schema",
    purpose: "prints the JSON Schema of the configuration",
    run: async (input) => (await import("./config.ts")).printSchema(input),
  },
  {
    name: "config show",
    purpose: "prints the configuration as it is read, without secrets, and where each setting came from",
    run: async (input) => (await import("./config.ts")).showConfig(input),
  },
  {
    name: "keys create",
    purpose: "makes an API key; this is the only time it can be seen",
    options: [
      { form: "--name <text>", purpose: "for people: who has it, what for" },
      {
        form: "--scopes <scopes>",
        purpose: "of read, run, decide and admin, with commas; read,run,decide unless given",
      },
      { form: "--expires <time>", purpose: "when it ends, as in 90m, 12h or 30d; never unless given" },
    ],
    run: async (input) => (await import("./keys.ts")).createKey(input),
  },
  {
    name: "keys list",
    purpose: "lists API keys",
    isDefault: true,
    run: async (input) => (await import("./keys.ts")).listKeys(input),
  },
  {
    name: "keys revoke",
    purpose: "ends an API key now",
    arguments: [{ form: "<key>", purpose: "the key's id" }],
    run: async (input) => (await import("./keys.ts")).revokeKey(input),
  },
  {
    name: "backup",
    purpose: "copies the SQLite file that threads live in, also while a server works on it",
    arguments: [{ form: "<file>", purpose: "where the copy goes; there must be no file yet" }],
    run: async (input) => (await import("./backup.ts")).backup(input),
  },
  {
    name: "doctor",
    purpose: "looks whether everything is in order, and says what to do about what is not",
    run: async (input) => (await import("./doctor.ts")).doctor(input),
  },
];
