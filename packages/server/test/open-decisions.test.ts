import { describe, expect, it } from "vitest";
import { interceptStore } from "../../runtime/test/support/intercept-store.ts";
import { openDemo, says } from "./support/open-demo.ts";

describe("issue 14.34: open decisions", () => {
  it("come in pages", async () => {
    const { post, ask, runtime } = await openDemo();
    for (let time = 0; time < 7; time += 1) await (await post("/v1/runs", says("pay 5"))).text();
    const all = await runtime.decisions.list();
    const pages = [];
    for (const offset of [0, 3, 6]) pages.push(await (await ask(`/v1/decisions?limit=3&offset=${offset}`)).json());
    expect(pages.map(({ items }) => items.length)).toEqual([3, 3, 1]);
    expect(pages.map(({ total, has_more }) => [total, has_more])).toEqual([
      [7, true],
      [7, true],
      [7, false],
    ]);
    expect(pages.flatMap(({ items }) => items)).toEqual(JSON.parse(JSON.stringify(all)));
    expect((await (await ask("/v1/decisions?limit=100000")).json()).items).toHaveLength(7);
  });

  it("are decided by the id of their call or suspension without a search", async () => {
    let searches = 0;
    const { post, runtime } = await openDemo({
      wrapStore: (store) =>
        interceptStore(store, {
          tenant: (inner) => ({
            listCalls: (query) => {
              if (query.run_id === undefined) searches += 1;
              return inner.listCalls(query);
            },
          }),
        }),
    });
    for (const runId of ["r1", "r2"]) await (await post("/v1/runs", says("pay 5", { runId }))).text();
    expect((await post("/v1/decisions/r1-s1-c0-q1", { action: "approve" })).status).toBe(202);
    expect((await post("/v1/decisions/r2-s1-c0", { action: "approve" })).status).toBe(202);
    expect(searches).toBe(0);
    for (const runId of ["r1", "r2"]) expect((await (await runtime.run(runId)).outcome()).status).toBe("done");
  });
});
