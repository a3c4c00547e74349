import { writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import { type AgentEvent, encodeEvent } from "@reprise/contracts";
import { encodeSseFrame } from "@reprise/protocols";
import { createA2aEncoder } from "@reprise/protocols/a2a";
import { createAcpEncoder } from "@reprise/protocols/acp";
import { createAgUiEncoder } from "@reprise/protocols/ag-ui";
import { createAiSdkEncoder } from "@reprise/protocols/ai-sdk";
import { createFactEncoder } from "@reprise/protocols/facts";
import { createMcpEncoder } from "@reprise/protocols/mcp";
import { createWorkflowEncoder } from "@reprise/protocols/workflow";
import { loadScenes } from "@reprise/testkit";

const { values: flags } = parseArgs({
  options: { record: { type: "boolean", default: false }, quick: { type: "boolean", default: false } },
});
if (flags.quick && flags.record) throw new Error("A quick run is not for the record: leave out --quick or --record.");

const MOST_MICROS = 3;
const SAMPLES = flags.quick ? 5 : 41;
const ROUNDS = flags.quick ? 2 : 20;

interface Encoder {
  encode(event: AgentEvent, cursor: string): string;
}

/** One encoder is one stream. The events as they are come first: every protocol is held against them. */
const PROTOCOLS: readonly { readonly name: string; readonly open: () => Encoder }[] = [
  {
    name: "events as they are",
    open: () => ({ encode: (event, cursor) => encodeSseFrame(encodeEvent(event), cursor) }),
  },
  { name: "A2A", open: () => createA2aEncoder() },
  { name: "ACP", open: () => createAcpEncoder("session-1") },
  { name: "AG-UI", open: () => createAgUiEncoder({ version: "1.0" }) },
  { name: "AG-UI before version 1", open: () => createAgUiEncoder({ version: "0" }) },
  { name: "AI SDK", open: () => createAiSdkEncoder() },
  { name: "facts", open: () => createFactEncoder() },
  {
    // A client that hears of progress: without a token, only the answer is written.
    name: "MCP",
    open: () => createMcpEncoder({ id: 1, era: "session", target: { kind: "agent" }, progressToken: 1, elicits: true }),
  },
];

/** A protocol that has words for workflows alone. */
const OF_WORKFLOWS: (typeof PROTOCOLS)[number] = { name: "workflow events", open: () => createWorkflowEncoder() };

type Read = { readonly event: AgentEvent; readonly cursor: string };

/** A run with a long answer: most events of a real run are words. */
function talk(words: number): readonly Read[] {
  const base = { run_id: "run-1", thread_id: "thread-1", timestamp_ms: 0, step_id: "run-1-s1" } as const;
  const say = (index: number): AgentEvent => ({
    ...base,
    type: "text_delta",
    seq: index + 3,
    data: { delta: "word " },
  });
  const events: readonly AgentEvent[] = [
    { ...base, type: "run_start", seq: 1, data: {} },
    { ...base, type: "step_start", seq: 2, data: { message_id: "run-1-s1-m" } },
    ...Array.from({ length: words }, (_, index) => say(index)),
    { ...base, type: "step_end", seq: words + 3, data: {} },
    { ...base, type: "run_finish", seq: words + 4, data: { termination: { type: "natural_end" } } },
  ];
  return events.map((event) => ({ event, cursor: `run-1:1:${event.seq}` }));
}

/** A workflow whose nodes write the same answer. */
function work(words: number): readonly Read[] {
  const base = { run_id: "run-1", thread_id: "thread-1", timestamp_ms: 0 } as const;
  const node = { node_id: "draft" } as const;
  const data = { ...node, delta: "word ", model: "m" };
  const say = (index: number): AgentEvent => ({ ...base, type: "node_delta", seq: index + 3, data });
  const started = { workflow_id: "review", document: "d", inputs: {} };
  const ended = { ...node, outcome: "completed", output: "done", duration_ms: 1, attempt: 1 } as const;
  const events: readonly AgentEvent[] = [
    { ...base, type: "workflow_start", seq: 1, data: started },
    { ...base, type: "node_start", seq: 2, data: { ...node, node_type: "agent", attempt: 1 } },
    ...Array.from({ length: words }, (_, index) => say(index)),
    { ...base, type: "node_end", seq: words + 3, data: ended },
    { ...base, type: "run_finish", seq: words + 4, data: { termination: { type: "natural_end" } } },
  ];
  return events.map((event) => ({ event, cursor: `run-1:1:${event.seq}` }));
}

interface Workload {
  readonly name: string;
  readonly runs: readonly (readonly Read[])[];
  readonly protocols: typeof PROTOCOLS;
}

const scenes = loadScenes();
const recorded = (isWorkflow: boolean): readonly (readonly Read[])[] =>
  scenes.filter(({ name }) => name.startsWith("workflow") === isWorkflow).map(({ events }) => events);

const WITH_WORKFLOWS = [...PROTOCOLS, OF_WORKFLOWS];
const WORKLOADS: readonly Workload[] = [
  { name: "an answer of 2,000 words", runs: [talk(2_000)], protocols: PROTOCOLS },
  { name: "the recorded runs: tools, approvals, reasoning, failures", runs: recorded(false), protocols: PROTOCOLS },
  { name: "a workflow that writes 2,000 words", runs: [work(2_000)], protocols: WITH_WORKFLOWS },
  { name: "the recorded workflows: gates, retries, budgets, media", runs: recorded(true), protocols: WITH_WORKFLOWS },
];

const tables = WORKLOADS.map(({ name, runs, protocols }) => {
  const events = runs.reduce((sum, run) => sum + run.length, 0);
  let plain = 0;
  const rows = protocols.map((protocol) => {
    const { quiet, median } = measure(protocol.open, runs, events);
    if (plain === 0) plain = quiet;
    const ratio = (quiet / plain).toFixed(2);
    return `| ${protocol.name} | ${quiet.toFixed(2)} | ${median.toFixed(2)} | ${ratio} | ${quiet <= MOST_MICROS ? "yes" : "**no**"} |`;
  });
  return `### ${name} (${events.toLocaleString("en")} events)

| protocol | µs an event | median | against events as they are | met |
| --- | ---: | ---: | ---: | ---: |
${rows.join("\n")}`;
});

const report = `# Results: protocols

Generated by \`npm start -- --record\`; do not edit.

- Date: ${new Date().toISOString().slice(0, 10)}
- Node ${process.versions.node}, V8 ${process.versions.v8}, ${process.platform} ${process.arch}
- CPU: ${cpus()[0]?.model.trim() ?? "unknown"}, ${availableParallelism()} cores, shared with other work

## Targets

Writing an event as the frames of a protocol takes at most ${MOST_MICROS} µs.

${tables.join("\n\n")}

## Method

CPU from an event to the text of its frames: ${SAMPLES} samples, each of ${ROUNDS} passes over all runs, each run through an encoder of its own. The figure is the lower
quartile, because the machine is shared. MCP has no message for a word: it writes progress, questions and one answer, so most events cost it next to nothing.
`;
process.stdout.write(report);
if (flags.record) writeFileSync(new URL("./RESULTS.md", import.meta.url), report);

function measure(open: () => Encoder, runs: readonly (readonly Read[])[], events: number) {
  let written = 0;
  const pass = (): void => {
    for (const run of runs) {
      const encoder = open();
      for (const { event, cursor } of run) written += encoder.encode(event, cursor).length;
    }
  };
  const samples = Array.from({ length: SAMPLES + 3 }, () => {
    globalThis.gc?.({ type: "minor" });
    const start = process.cpuUsage();
    for (let round = 0; round < ROUNDS; round += 1) pass();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / (ROUNDS * events);
  })
    .slice(3)
    .sort((left, right) => left - right);
  if (written === 0) throw new Error("Nothing was written.");
  const at = (part: number): number => samples[Math.floor(samples.length * part)] ?? Number.NaN;
  return { quiet: at(0.25), median: at(0.5) };
}
