import type { ToolDescriptor } from "@reprise/contracts";
import type { Json } from "@reprise/state";

/** An agent as far as its capabilities tell of it. */
export interface CapableAgent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tools: readonly Pick<ToolDescriptor, "name" | "description" | "parameters">[];
  /** Set for an agent that runs elsewhere. It takes no tools of clients. */
  readonly endpoint?: unknown;
}

/** What an agent can do, in the words of `AgentCapabilities`. */
export function encodeAgUiCapabilities({ id, name, description, tools, endpoint }: CapableAgent): Json {
  const isLocal = endpoint === undefined;
  return {
    identity: { name: name === "" ? id : name, description, type: "reprise" },
    transport: { streaming: true, websocket: false, httpBinary: false, pushNotifications: false, resumable: true },
    tools: {
      supported: isLocal || tools.length > 0,
      items: tools.map((tool) => ({ name: tool.name, description: tool.description, parameters: tool.parameters })),
      parallelCalls: true,
      clientProvided: isLocal,
    },
    state: { snapshots: true, deltas: true, persistentState: true },
    reasoning: { supported: true, streaming: true, encrypted: true },
    multimodal: { input: { image: true, audio: true, video: true, pdf: true, file: true } },
    humanInTheLoop: { supported: true, approvals: true, interrupts: true, approveWithEdits: true },
  };
}
