import type { GeneratedMedia, MediaRequest, ModelProvider, ModelSpec } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { type AgentDefinition, createRuntime, defineAgent, type RuntimeOptions } from "@reprise/runtime";
import { onTestFinished } from "vitest";
import { createWorld } from "../../support/open-runtime.ts";
import { collect, soon } from "../../support/wait.ts";

export const PICTURE = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);

export interface StudioOptions {
  /** How a picture is made; one at once unless it is given. */
  readonly generate?: (request: MediaRequest) => Promise<GeneratedMedia>;
  readonly spec?: Partial<ModelSpec>;
  readonly agent?: Partial<AgentDefinition>;
  readonly options?: Partial<RuntimeOptions>;
  readonly hasMedia?: boolean;
}

/** A runtime with an agent `painter` whose model makes pictures, and one, `critic`, whose model speaks. */
export async function openStudio({ generate, spec, agent, options, hasMedia = true }: StudioOptions = {}) {
  const world = createWorld();
  const asked: MediaRequest[] = [];
  const speaking = scriptedModel((_, turn) => `opinion ${turn}`);
  const make = generate ?? (async () => ({ content: PICTURE, media_type: "image/png", units: 1 }));
  const provider: ModelProvider = {
    id: "studio",
    model: () => speaking,
    ...(hasMedia && {
      media: (name: string) => ({
        id: `studio/${name}`,
        generate: (request: MediaRequest) => {
          asked.push(request);
          return make(request);
        },
      }),
    }),
  };
  const model: ModelSpec = {
    id: "brush",
    provider: "studio",
    model: "brush-1",
    surface: "generative",
    modalities: { output: ["image"] },
    ...spec,
  };
  const runtime = await createRuntime({
    ...world,
    providers: [provider],
    models: [model],
    agents: [defineAgent({ id: "painter", model: "brush", ...agent }), defineAgent({ id: "critic", model: speaking })],
    limits: { closeTimeoutMs: 1 },
    ...options,
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  const paint = async (input: string) => {
    const run = await runtime.start({ agent: "painter", threadId: "t1", input });
    const outcome = await soon(run.outcome());
    const events = await collect(run);
    return { run, outcome, events, message: (await runtime.threads.messages("t1")).messages.at(-1) };
  };
  return { ...world, runtime, asked, paint, speaking };
}
