import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import {
  type ClientCapabilities,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  methods,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
} from "@agentclientprotocol/sdk";
import { type Place, spawnCli } from "./run-cli.ts";

export interface EditorOptions extends Place {
  readonly capabilities?: ClientCapabilities;
  answer?(request: RequestPermissionRequest): RequestPermissionResponse | Promise<RequestPermissionResponse>;
  fill?(request: CreateElicitationRequest): CreateElicitationResponse;
}

/** An editor that is connected to a process of its own: the official client. */
export interface Editor {
  readonly agent: ClientContext;
  readonly process: ChildProcess;
  /** Everything the agent said about a session. */
  updates(sessionId: string): readonly SessionNotification["update"][];
  /** The text the agent said in a session. */
  text(sessionId: string): string;
  warnings(): string;
  /** Closes standard input, as an editor does, and waits. Answers the exit code. */
  close(): Promise<number | null>;
}

/** Starts `reprise acp …` and connects the official client to it. */
export async function openEditor(words: readonly string[], options: EditorOptions): Promise<Editor> {
  const child = spawnCli(["acp", ...words], options);
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error("The process has no pipes.");
  const ended = once(child, "exit");
  let warnings = "";
  stderr.on("data", (chunk) => {
    warnings += String(chunk);
  });
  const seen: SessionNotification[] = [];
  const app = client({ name: "test" })
    .onNotification(methods.client.session.update, ({ params }) => void seen.push(params))
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      if (options.answer === undefined) throw new Error("The test answers no permission request.");
      return options.answer(params);
    })
    .onRequest(methods.client.elicitation.create, async ({ params }) => options.fill?.(params) ?? { action: "cancel" });
  const input = Readable.toWeb(stdout) as ReadableStream<Uint8Array>;
  const { agent } = app.connect(ndJsonStream(Writable.toWeb(stdin), input));
  await agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    ...(options.capabilities !== undefined && { clientCapabilities: options.capabilities }),
  });
  const updates = (sessionId: string) => seen.flatMap((each) => (each.sessionId === sessionId ? [each.update] : []));
  return {
    agent,
    process: child,
    updates,
    text: (sessionId) =>
      updates(sessionId)
        .map((update) =>
          update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : "",
        )
        .join(""),
    warnings: () => warnings,
    async close() {
      stdin.end();
      const [code] = await ended;
      return code;
    },
  };
}
