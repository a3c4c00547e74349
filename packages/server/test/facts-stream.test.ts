import { expect, it } from "vitest";
import { openDemo, says } from "./support/open-demo.ts";

/** The facts of a stream, and the ids they came with. */
async function readFacts(
  response: Response,
): Promise<readonly { readonly id?: string; readonly fact: { readonly type: string } }[]> {
  const frames = (await response.text()).split("\n\n").filter((frame) => frame.includes("data: "));
  return frames.map((frame) => {
    const id = /^id: (.*)$/m.exec(frame)?.[1];
    return { ...(id !== undefined && { id }), fact: JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? "{}") };
  });
}

it("serves a run as facts, from any point", async () => {
  const { post, ask } = await openDemo();
  const started = await post("/v1/runs", says("hello"));
  await started.text();
  const path = `/v1/runs/${started.headers.get("x-reprise-run-id")}/events?format=facts`;
  const whole = await readFacts(await ask(path));
  expect(whole.map(({ fact }) => fact.type)).toEqual(
    expect.arrayContaining(["turn.started", "model.delta", "model.completed", "turn.completed"]),
  );
  for (const [index, { id }] of whole.entries()) {
    if (id === undefined || index === whole.length - 1) continue;
    const rest = await readFacts(await ask(path, { headers: { "last-event-id": id } }));
    expect(rest, `after ${id}`).toEqual(whole.slice(index + 1));
  }
});

it("refuses a format that does not exist", async () => {
  const { post, ask } = await openDemo();
  const started = await post("/v1/runs", says("hello"));
  await started.text();
  const response = await ask(`/v1/runs/${started.headers.get("x-reprise-run-id")}/events?format=rumours`);
  expect(response.status).toBe(400);
});
