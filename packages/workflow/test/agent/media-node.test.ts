import {
  type Env,
  type GeneratedMedia,
  type MediaJobStatus,
  type MediaModel,
  type MediaRequest,
  ModelError,
  type ModelErrorKind,
  RepriseError,
} from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createFakeEnv } from "@reprise/testkit/env";
import { describe, expect, it } from "vitest";
import type { NodeBlobs } from "../../src/agent/agent-runner-deps.ts";
import { pollMediaJob } from "../../src/agent/generate-media.ts";
import { createToolRegistry } from "../../src/agent/tool-registry.ts";
import type { MediaJob, NodeEvent, NodeExecContext } from "../../src/node/node-executor.ts";
import { type Bench, createProvider, execute, hurriedEnv, NODE } from "../support/agent-bench.ts";

const PICTURE: GeneratedMedia = { content: new Uint8Array([1, 2, 3]), media_type: "image/png", units: 1 };

function painter(
  answer: (request: MediaRequest) => GeneratedMedia = () => PICTURE,
): MediaModel & { requests: MediaRequest[] } {
  const requests: MediaRequest[] = [];
  return {
    id: "painter",
    requests,
    async generate(request) {
      requests.push(request);
      return answer(request);
    },
  };
}

function painting(model: MediaModel, more: Bench = {}): Bench {
  return {
    media: { "acme/large": model },
    ...more,
    node: { output_modalities: ["image"], ...more.node },
    deps: { resolveMediaSurface: () => "generative", ...more.deps },
  };
}

const costsOf = (events: readonly NodeEvent[]) =>
  events.flatMap((event) => (event.type === "node_cost" ? [event.data] : []));

describe("a media node", () => {
  it("makes a picture: a blob, one cost event, no tokens", async () => {
    const model = painter();
    const { outcome, events, blobs } = await execute(
      painting(model, { specs: { "acme/large": { pricing: { media_per_unit: 0.04 } } } }),
    );
    expect(outcome).toEqual({
      kind: "completed",
      output: { text: "", media: [{ type: "image", url: "media://blob:1", media_type: "image/png" }] },
      tokensUsed: { input: 0, output: 0, model: "large" },
    });
    expect(blobs).toEqual([{ content: PICTURE.content, media_type: "image/png" }]);
    expect(model.requests).toMatchObject([{ prompt: "You write.\n\nWrite about tea.", modality: "image" }]);
    expect(events).toHaveLength(1);
    expect(costsOf(events)).toMatchObject([{ cost_microcents: 4_000_000, priced: true, input_tokens: 0, attempt: 1 }]);
  });

  it("costs nothing where the model has no rate", async () => {
    const { events } = await execute(painting(painter()));
    expect(costsOf(events)).toMatchObject([{ cost_microcents: 0, priced: false }]);
  });

  it("makes several items with one cost event, and counts what was asked for when the model reports nonsense", async () => {
    const specs = { "acme/large": { pricing: { media_per_unit: 0.01 } } };
    const odd = painter(() => ({ ...PICTURE, units: Number.NaN }));
    const { outcome, events } = await execute(painting(odd, { specs, node: { count: 3 } }));
    expect(outcome).toMatchObject({ output: { media: [{}, {}, {}] } });
    expect(costsOf(events)).toMatchObject([{ cost_microcents: 3_000_000 }]);
    const film = painter(() => ({ content: PICTURE.content, media_type: "video/mp4", units: -1 }));
    const made = await execute(painting(film, { specs, node: { output_modalities: ["video"], duration_seconds: 8 } }));
    expect(film.requests[0]).toMatchObject({ modality: "video", options: { duration_seconds: 8 } });
    expect(made.outcome).toMatchObject({ output: { media: [{ type: "file", media_type: "video/mp4" }] } });
    expect(costsOf(made.events)).toMatchObject([{ cost_microcents: 8_000_000 }]);
  });

  it("asks the gate first, with no tokens", async () => {
    const model = painter();
    const asked: unknown[] = [];
    const { outcome } = await execute(
      painting(model, {
        specs: { "acme/large": { pricing: { media_per_unit: 0.01 } } },
        node: { count: 2 },
        deps: {
          resolveMediaSurface: () => "generative",
          preEgress: ({ worstCase }) => {
            asked.push(worstCase);
            return { code: "budget_exceeded", message: "Over.", retryable: false };
          },
        },
      }),
    );
    expect(asked).toEqual([{ microcents: 2_000_000, tokens: 0 }]);
    expect(outcome).toMatchObject({ kind: "failed", error: { code: "budget_exceeded" } });
    expect(model.requests).toEqual([]);
  });

  it("goes through the budget of the run, item by item", async () => {
    const ended: unknown[] = [];
    let opened = 0;
    const gate: NonNullable<NodeExecContext["gate"]> = {
      open: async ({ request, spec }) => {
        expect(spec).toMatchObject({ id: "acme/large", surface: "generative" });
        opened += 1;
        if (opened === 3) throw new RepriseError("BUDGET_EXCEEDED", "Nothing is left.");
        return { request, ended: (end) => void ended.push(end) };
      },
    };
    const model = painter();
    const { outcome, events } = await execute(
      painting(model, {
        specs: { "acme/large": { pricing: { media_per_unit: 0.01 } } },
        node: { count: 4 },
        context: { gate },
      }),
    );
    expect(outcome).toMatchObject({ kind: "failed", error: { code: "budget_exceeded" } });
    expect(ended).toEqual(Array(2).fill({ amount: { microcents: 1_000_000, tokens: 0 } }));
    expect(costsOf(events)).toMatchObject([{ cost_microcents: 2_000_000 }]);
  });

  it.each([
    ["an empty prompt", { node: { prompt_template: "  " } }, "validation"],
    ["several modalities", { node: { output_modalities: ["image", "audio"] } }, "validation"],
    ["text", { node: { output_modalities: ["text"] } }, "validation"],
    ["a host without blobs", { deps: { resolveMediaSurface: () => "generative", blobs: undefined } }, "internal"],
  ] as readonly [string, Bench, string][])("refuses %s before anything is sent", async (_what, more, code) => {
    const model = painter();
    const { outcome } = await execute(painting(model, more));
    expect(outcome).toMatchObject({ kind: "failed", error: { code, retryable: false } });
    expect(model.requests).toEqual([]);
  });

  it("asks one provider and no other, whatever the plan says", async () => {
    const busy = painter(() => {
      throw new ModelError("overloaded", "Busy.");
    });
    const other = painter();
    const { outcome } = await execute(
      painting(busy, {
        media: { "acme/large": busy, "other/small": other },
        agent: { retry: { max: 3 }, fallback_chain: [{ provider: "other", model: "small" }] },
      }),
    );
    expect(outcome).toMatchObject({ kind: "failed", error: { code: "provider_unavailable", retryable: true } });
    expect(busy.requests).toHaveLength(1);
    expect(other.requests).toEqual([]);
  });

  it("talks to a model of the surface chat, and stores the files that such a model makes", async () => {
    const model = scriptedModel([[{ text: "Here." }, { file: "data:image/png;base64,AQID", mediaType: "image/png" }]]);
    const { outcome, blobs } = await execute({
      models: { "acme/large": model },
      deps: { resolveMediaSurface: () => undefined },
    });
    expect(outcome).toMatchObject({
      kind: "completed",
      output: { text: "Here.", media: [{ type: "image", url: "media://blob:1", media_type: "image/png" }] },
    });
    expect(blobs).toEqual([{ content: new Uint8Array([1, 2, 3]), media_type: "image/png" }]);
  });

  it("starts a job where the model works with jobs, and asks about it until it is done", async () => {
    let polls = 0;
    const model: MediaModel = {
      ...painter(),
      submit: async () => ({ job_id: "job-1", poll_after_ms: 5_000 }),
      poll: async (jobId) => {
        expect(jobId).toBe("job-1");
        polls += 1;
        return polls === 1 ? { status: "running", poll_after_ms: 9_000 } : { status: "done", media: PICTURE };
      },
    };
    const bench = painting(model, { specs: { "acme/large": { pricing: { media_per_unit: 1 } } } });
    const { outcome, events } = await execute(bench);
    const job = { provider: "acme", model: "large", job_id: "job-1", poll_after_ms: 5_000 };
    expect(outcome).toEqual({ kind: "media_job", job });
    expect(events).toEqual([]);

    const { poll, emitted } = polling(bench);
    expect(await poll(job)).toEqual({
      kind: "media_job",
      job: { ...job, poll_after_ms: 9_000 },
    });
    expect(emitted).toEqual([]);
    expect(await poll(job)).toMatchObject({
      kind: "completed",
      output: { text: "", media: [{ url: "media://blob:job" }] },
    });
    expect(costsOf(emitted)).toMatchObject([{ cost_microcents: 100_000_000, priced: true }]);
  });

  it("asks again after a question that failed and may succeed later, with growing pauses, and pays once", async () => {
    const answers: (() => MediaJobStatus)[] = [
      () => fail("overloaded"),
      () => fail("network"),
      () => fail("rate_limit", 30_000),
      () => ({ status: "running", poll_after_ms: 2_000 }),
      () => fail("timeout"),
      () => ({ status: "done", media: PICTURE }),
      () => ({ status: "done", media: PICTURE }),
    ];
    const model: MediaModel = {
      ...painter(),
      submit: async () => ({ job_id: "job-1", poll_after_ms: 5_000 }),
      poll: async () => (answers.shift() ?? (() => fail("auth")))(),
    };
    let stored = 0;
    const { poll, emitted } = polling(painting(model), async () => {
      stored += 1;
      if (stored === 1) throw new Error("The disk is full.");
      return { ref: "blob:job", bytes: 3 };
    });
    let job: MediaJob = { ...JOB, expires_at: 9 };
    const pauses: unknown[] = [];
    for (;;) {
      const outcome = await poll(job);
      if (outcome.kind !== "media_job") {
        expect(outcome).toMatchObject({ kind: "completed", output: { media: [{ url: "media://blob:job" }] } });
        break;
      }
      job = outcome.job;
      pauses.push([job.poll_after_ms, job.failures]);
    }
    expect(pauses).toEqual([
      [1_000, 1],
      [2_000, 2],
      [30_000, 3],
      [2_000, undefined],
      [1_000, 1],
      // The media was there and could not be stored.
      [2_000, 2],
    ]);
    expect(job).toMatchObject({ job_id: "job-1", expires_at: 9 });
    expect(costsOf(emitted)).toHaveLength(1);
  });

  it("ends with an error that is not retryable at once, and gives up on a job that cannot be asked about for too long", async () => {
    const refusing: MediaModel = {
      ...painter(),
      submit: async () => ({ job_id: "job-1", poll_after_ms: 1 }),
      poll: async () => fail("content_filter"),
    };
    expect(await polling(painting(refusing)).poll(JOB)).toMatchObject({
      kind: "failed",
      error: { code: "content_filter" },
    });
    const gone: MediaModel = { ...refusing, poll: async () => fail("server_error") };
    const { poll } = polling(painting(gone));
    let outcome = await poll(JOB);
    let asked = 1;
    for (; outcome.kind === "media_job"; asked += 1) outcome = await poll(outcome.job);
    expect(asked).toBe(20);
    // Not retryable: another attempt would start and pay for a second job.
    expect(outcome).toMatchObject({ kind: "failed", error: { code: "provider_unavailable", retryable: false } });
  });

  it("a question that is never answered counts as one that failed", async () => {
    const env = createFakeEnv();
    let isStopped = false;
    const silent: MediaModel = {
      ...painter(),
      submit: async () => ({ job_id: "job-1", poll_after_ms: 1 }),
      poll: (_, { signal }) => {
        signal.addEventListener("abort", () => {
          isStopped = true;
        });
        return new Promise(() => undefined);
      },
    };
    const asked = polling(painting(silent), undefined, env).poll(JOB);
    await env.advance(60_001);
    expect(await asked).toMatchObject({ kind: "media_job", job: { failures: 1 } });
    expect(isStopped).toBe(true);
  });
});

const JOB: MediaJob = { provider: "acme", model: "large", job_id: "job-1", poll_after_ms: 5_000 };

function fail(kind: ModelErrorKind, retryAfterMs?: number): never {
  throw new ModelError(kind, "Not now.", retryAfterMs === undefined ? {} : { retryAfterMs });
}

/** Asks about jobs of a node, outside of a run. */
function polling(
  bench: Bench,
  put: NodeBlobs["put"] = async (content) => ({ ref: "blob:job", bytes: content.byteLength }),
  env: Env = hurriedEnv().env,
) {
  const emitted: NodeEvent[] = [];
  const deps = {
    env,
    resolveProvider: () => createProvider("acme", bench),
    registry: createToolRegistry({ tools: [], env }),
    blobs: { put },
  };
  const context: NodeExecContext = {
    vertex: { id: "draft", type: "agent", node: NODE, dependencies: [], dependents: [] },
    path: "draft",
    runId: "run-1",
    attemptNumber: 1,
    idempotencyKey: "run-1.draft.1",
    scope: { inputs: {}, ctx: {}, outputs: {}, locals: {} },
    now: 1,
    signal: new AbortController().signal,
    emit: (event) => emitted.push(event),
    announceCall: async () => undefined,
  };
  return { emitted, poll: (job: MediaJob) => pollMediaJob(deps, context, job) };
}
