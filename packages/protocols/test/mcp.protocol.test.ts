import { fileURLToPath } from "node:url";
import { isSpecType } from "@modelcontextprotocol/client";
import { createMcpEncoder, type McpCall } from "@reprise/protocols/mcp";
import { describeProtocol } from "@reprise/testkit";
import { expect } from "vitest";

const CALLS = {
  session: { id: 7, era: "session", target: { kind: "agent" }, progressToken: "p", elicits: true },
  stateless: { id: 7, era: "stateless", target: { kind: "agent" }, progressToken: "p", elicits: true },
} as const satisfies Record<string, McpCall>;

type Told = Readonly<Record<string, unknown>> & { readonly params?: Readonly<Record<string, unknown>> };

/** As the official schemas have it: progress that grows, questions, and one answer, which comes last. */
function assertMessages(frames: string, hasAnswer: boolean): void {
  const messages = frames
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line): Told => JSON.parse(line.slice("data: ".length)));
  for (const message of messages) {
    expect(isSpecType.JSONRPCMessage(message), JSON.stringify(message)).toBe(true);
    if (message.method === "notifications/progress") expect(isSpecType.ProgressNotification(message)).toBe(true);
    if (message.method === "elicitation/create") expect(isSpecType.ElicitRequest(message)).toBe(true);
    const { resultType, inputRequests = {} } = (message.result ?? {}) as {
      resultType?: string;
      inputRequests?: object;
    };
    if (resultType !== "input_required") expect(isSpecType.CallToolResult(message.result ?? {})).toBe(true);
    for (const request of Object.values(inputRequests)) expect(isSpecType.ElicitRequest(request)).toBe(true);
  }
  const progress = messages.flatMap(({ params }) => (params?.progress === undefined ? [] : [Number(params.progress)]));
  expect(progress).toEqual([...new Set(progress)].sort((left, right) => left - right));
  const answers = messages.filter(({ result }) => result !== undefined);
  expect(answers).toHaveLength(hasAnswer ? 1 : 0);
  if (hasAnswer) expect(messages.at(-1)).toBe(answers[0]);
}

describeProtocol("MCP 2025-11-25", () => ({
  open: () => createMcpEncoder(CALLS.session),
  assertValid: (frames, { events }) => {
    // A run that waits for a person is not answered: the session asks, and stays.
    const last = events.at(-1)?.event;
    assertMessages(frames, last?.type === "run_finish" && last.data.termination.type !== "suspended");
  },
  golden: fileURLToPath(new URL("./golden/mcp-2025/", import.meta.url)),
  extension: ".sse",
}));

describeProtocol("MCP 2026-07-28", () => ({
  open: () => createMcpEncoder(CALLS.stateless),
  assertValid: (frames, { events }) =>
    assertMessages(
      frames,
      events.some(({ event }) => event.type === "run_finish"),
    ),
  golden: fileURLToPath(new URL("./golden/mcp-2026/", import.meta.url)),
  extension: ".sse",
}));
