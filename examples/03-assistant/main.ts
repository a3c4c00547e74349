// An assistant in the terminal. It asks before it removes something; `rewind 2` goes back to an earlier version of the thread.
import { createInterface } from "node:readline/promises";
import { createRuntime, memory, RepriseError, type RunHandle } from "reprise";
import { assistant, groceries } from "./assistant.ts";

const DEMONSTRATION = ["add milk", "add bread", "remove milk", "yes", "history"];
const HELP = 'Talk to the assistant, or say: history · rewind <version> · quit. When it asks, say "yes" or "no".';

const runtime = await createRuntime({ agents: [assistant], store: memory() });
let threadId = "main";
let seen: string | undefined; // how far the open run's events were read

/** Does what a line says and prints what happens. */
async function answer(line: string): Promise<void> {
  const [word = "", argument] = line.trim().split(/\s+/);
  const [waiting] = await runtime.decisions.list({ threadId });
  if (word === "help") console.log(HELP);
  else if (word === "history") await showHistory();
  else if (word === "rewind") await rewind(Number(argument));
  else if (waiting !== undefined && (word === "yes" || word === "no")) {
    await runtime.decisions.decide(waiting.id, { action: word === "yes" ? "approve" : "deny" });
    await show(await runtime.run(waiting.run_id));
  } else {
    seen = undefined;
    await show(await runtime.start({ agent: "assistant", threadId, input: line }));
  }
}

/** Prints a run's events as they happen, from where it was left. */
async function show(run: RunHandle): Promise<void> {
  for await (const { event, cursor } of run.eventsWithCursor(seen === undefined ? {} : { after: seen })) {
    seen = cursor;
    if (event.type === "text_delta") process.stdout.write(event.data.delta);
    if (event.type === "tool_call_ready") console.log(`[${event.data.name} ${JSON.stringify(event.data.arguments)}]`);
    if (event.type === "run_finish" && event.data.termination.type !== "suspended") console.log();
  }
  const outcome = await run.outcome();
  if (outcome.status === "waiting") console.log(`${outcome.open[0]?.ticket?.suspension.message} yes / no`);
}

async function showHistory(): Promise<void> {
  let before: string | undefined;
  for (const { version } of await runtime.threads.history(threadId)) {
    const list = groceries.read(await runtime.threads.state(threadId, { version })).join(", ") || "nothing";
    if (list !== before) console.log(`version ${version}: ${list}`);
    before = list;
  }
}

/** Continues from an earlier version in a new thread; the old one stays as it is. */
async function rewind(version: number): Promise<void> {
  const fork = await runtime.threads.fork(threadId, { at: version, threadId: `${threadId}-${version}` });
  threadId = fork.thread_id;
  const list = groceries.read(await runtime.threads.state(threadId));
  console.log(`Back at version ${version}: ${list.join(", ") || "nothing"}`);
}

const isPerson = process.stdin.isTTY === true;
const terminal = createInterface({ input: process.stdin, output: process.stdout, terminal: isPerson });
const say = async (line: string, echo: boolean): Promise<void> => {
  if (echo) console.log(`> ${line}`);
  await answer(line).catch((error: unknown) => {
    if (!RepriseError.is(error)) throw error;
    console.log(error.message);
  });
};

console.log(`Reprise: an assistant that asks first, on a thread you can rewind.\n${HELP}\n`);
if (isPerson) {
  for (const line of DEMONSTRATION) await say(line, true);
  terminal.prompt();
}
let lines = 0;
for await (const line of terminal) {
  if (line.trim() === "quit") break;
  lines++;
  await say(line, !isPerson);
  if (isPerson) terminal.prompt();
}
if (!isPerson && lines === 0) for (const line of DEMONSTRATION) await say(line, true);
terminal.close();
await runtime.close();
