import { readdirSync, readFileSync } from "node:fs";
import type { AgentEvent, Message, ToolCallRecord } from "@reprise/contracts";

/** An event with the cursor a reader would continue from. */
export interface ReadEvent {
  readonly cursor: string;
  readonly event: AgentEvent;
}

/** A run as it really went, for encoders to be tried on. */
export interface ProtocolScene {
  readonly name: string;
  /** What is to be seen in it. */
  readonly about: string;
  readonly thread_id: string;
  readonly run_id: string;
  /** What a reader saw who was there from the start; after a decision it continued reading. */
  readonly events: readonly ReadEvent[];
  /** The thread when the recording ended. */
  readonly messages: readonly Message[];
  readonly calls: readonly ToolCallRecord[];
}

const CORPUS = new URL("../../corpus/", import.meta.url);

/** The recorded runs, by name. */
export function loadScenes(): readonly ProtocolScene[] {
  return readdirSync(CORPUS)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file): ProtocolScene => JSON.parse(readFileSync(new URL(file, CORPUS), "utf8")));
}
