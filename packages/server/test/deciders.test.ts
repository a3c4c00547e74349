import { describe, expect, it } from "vitest";
import { openDemo, says } from "./support/open-demo.ts";

/** A server that takes the name of the caller from a header, and a run that waits for an approval. */
async function openWaiting() {
  const demo = await openDemo({
    authenticate: async (headers) => ({
      id: headers.get("authorization") ?? "nemo",
      scopes: ["read", "run", "decide"],
    }),
  });
  await (await demo.post("/v1/runs", says("pay 5", { threadId: "t1", runId: "r1" }))).text();
  return { ...demo, as: (name: string) => ({ authorization: name }) };
}

describe("a decision over HTTP names the person who made it", () => {
  it("in the answer, in the store, and to a rival", async () => {
    const { post, as } = await openWaiting();
    const first = await post("/v1/decisions/r1-s1-c0", { action: "approve" }, as("ada"));
    expect(await first.json()).toMatchObject({ action: "resume", decided_by: "ada" });
    const again = await post("/v1/decisions/r1-s1-c0", { action: "approve" }, as("bob"));
    expect([again.status, await again.json()]).toMatchObject([202, { decided_by: "ada" }]);
    const rival = await post("/v1/decisions/r1-s1-c0", { action: "deny" }, as("bob"));
    expect([rival.status, await rival.json()]).toMatchObject([
      409,
      { error: expect.stringMatching(/was already approved by ada at .* \(decision decision_r1-s1-c0_1\)/) },
    ]);
  });

  it.each([
    ["the inputs of its run", "/v1/runs/r1/inputs", {}],
    ["a request for a run", "/v1/runs", { agentId: "assistant", threadId: "t1", messages: [] }],
  ])("also when it comes with %s, and a client cannot sign for another", async (_, path, more) => {
    const { post, as, runtime } = await openWaiting();
    const decision = { target_id: "r1-s1-c0", action: "resume" };
    const forged = await post(path, { ...more, decisions: [{ ...decision, decided_by: "ada" }] }, as("mallory"));
    expect(forged.status).toBe(400);
    await (await post(path, { ...more, decisions: [decision] }, as("ada"))).text();
    const rival = runtime.decisions.decide("r1-s1-c0", { action: "deny" }, { decisionId: "d2" });
    await expect(rival).rejects.toMatchObject({ details: { winner: { decided_by: "ada" } } });
  });

  it("except on a server without authentication", async () => {
    const { post } = await openDemo();
    await (await post("/v1/runs", says("pay 5", { runId: "r1" }))).text();
    const answer = await post("/v1/decisions/r1-s1-c0", { action: "approve" });
    expect(await answer.json()).not.toHaveProperty("decided_by");
  });
});
