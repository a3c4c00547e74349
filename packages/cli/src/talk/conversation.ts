import { RepriseError } from "@reprise/contracts";
import type { RunHandle, Runtime } from "@reprise/runtime";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import type { Output } from "../output/output.ts";
import { EventPrinter } from "./print-events.ts";
import type { Prompter } from "./prompter.ts";
import { stopOnSignal } from "./stop-on-signal.ts";
import { tellOutcome } from "./tell-outcome.ts";

export interface ConversationOptions {
  readonly runtime: Runtime;
  readonly agent: string;
  readonly threadId: string;
  readonly prompter: Prompter;
  readonly output: Output;
}

/** Talks until nothing more is said. Answers how it stands then. */
export async function converse(options: ConversationOptions): Promise<ExitCode> {
  const { runtime, agent, threadId, prompter } = options;
  // What was left waiting is asked first: a new message would supersede it.
  for (const { run_id } of await runtime.decisions.list({ threadId })) {
    const code = await seeThrough(options, await runtime.run(run_id), { isSeen: true });
    if (code === EXIT_CODES.waiting) return code;
  }
  for (;;) {
    const said = await prompter.ask();
    const [, command] = /^\s*\/([a-z]+)\s*$/i.exec(said ?? "") ?? [];
    if (said === undefined || command === "quit" || command === "exit") return EXIT_CODES.ok;
    if (command !== undefined) {
      options.output.note(command === "help" ? HELP : `There is no command /${command}.\n${HELP}`);
      continue;
    }
    const code = await seeThrough(options, await runtime.start({ agent, threadId, input: said }));
    if (code === EXIT_CODES.waiting) return code;
  }
}

const HELP = `/help   shows this
/quit   leaves; /exit and Ctrl-C do the same
Ctrl-C  while the agent answers, stops the answer
Everything else is a message to the agent. Open the thread again with: --thread`;

/** Follows a run to its end, asking for every decision it needs. `waiting` when there is no one to ask. */
export async function seeThrough(
  { runtime, prompter, output }: ConversationOptions,
  run: RunHandle,
  { isSeen = false }: { readonly isSeen?: boolean } = {},
): Promise<ExitCode> {
  const printer = new EventPrinter(output);
  let after = isSeen ? await lastCursor(run) : await follow(run, printer, output, undefined);
  for (;;) {
    const outcome = await run.outcome();
    if (outcome.status !== "waiting") return tellOutcome(run, outcome, output);
    for (const open of outcome.open) {
      const verb = await prompter.decide(open);
      if (verb === undefined) return tellOutcome(run, outcome, output);
      try {
        // What was shown is what is decided about, and nothing else.
        await runtime.decisions.decide(open.id, verb, { bindingHash: open.binding_hash, suspension: open.suspension });
      } catch (error) {
        // Another person was faster, or the arguments do not fit: print it and look again.
        if (!RepriseError.is(error)) throw error;
        output.note(error.message);
      }
    }
    after = (await follow(run, printer, output, after)) ?? after;
  }
}

async function follow(
  run: RunHandle,
  printer: EventPrinter,
  output: Output,
  after: string | undefined,
): Promise<string | undefined> {
  const takeBack = stopOnSignal(run, (text) => output.note(text));
  try {
    return await printer.follow(run, { follow: false, ...(after !== undefined && { after }) });
  } finally {
    takeBack();
  }
}

/** The end of what a run has said so far. */
async function lastCursor(run: RunHandle): Promise<string | undefined> {
  let last: string | undefined;
  for await (const { cursor } of run.eventsWithCursor()) last = cursor;
  return last;
}
