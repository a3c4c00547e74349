import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { says } from "./support/open-demo.ts";
import { startDemo } from "./support/start-demo.ts";

/** What is asked, of a thread `t` with a run `r`; and the effects that it has once, whatever dies. */
const REQUESTS = [
  ["/v1/agents/assistant/tools/note/run", {}, { status: 200, effects: ["noted"], runs: 2, threads: 2 }],
  ["/v1/runs/r/rerun", { step: 1 }, { status: 202, effects: [], runs: 2, threads: 2 }],
  ["/v1/threads/t/fork", {}, { status: 201, effects: [], runs: 1, threads: 2 }],
  ["/v1/threads/t/interrupt", {}, { status: 202, effects: [], runs: 1, threads: 1 }],
  [
    "/v1/runs/r/inputs",
    { agentId: "assistant", messages: [{ role: "user", content: "more" }] },
    { status: 202, effects: [], runs: 2, threads: 1 },
  ],
] as const;

describe("issue 14.32: a request under an idempotency key whose server is killed", () => {
  for (const dieAt of ["reservation", "answer"] as const) {
    it.each(REQUESTS)(`at its ${dieAt} is done once: POST %s`, async (path, body, expected) => {
      const folder = createTemporaryFolder();
      const ledger = join(folder, "ledger");
      const open = async (variables: Readonly<Record<string, string>>) => {
        const program = "serve-dying.ts";
        const demo = await startDemo(join(folder, "demo.db"), { program, variables: { LEDGER: ledger, ...variables } });
        onTestFinished(() => demo.kill());
        const post = (at: string, sent: object, headers: Readonly<Record<string, string>> = {}) =>
          fetch(demo.url + at, {
            method: "POST",
            headers: { "content-type": "application/json", ...headers },
            body: JSON.stringify(sent),
          });
        return { demo, post };
      };
      const key = { "idempotency-key": "k" };
      const first = await open({ DIE_AT: dieAt });
      await (await first.post("/v1/runs", says("hello", { threadId: "t", runId: "r" }))).text();
      await expect(first.post(path, body, key)).rejects.toThrow();

      const second = await open({});
      const answers = [await second.post(path, body, key), await second.post(path, body, key)];
      const bodies = await Promise.all(answers.map((response) => response.json()));
      expect(answers.map(({ status }) => status)).toEqual([expected.status, expected.status]);
      expect(bodies[1]).toEqual(bodies[0]);
      const list = async (what: string) => (await (await fetch(`${second.demo.url}${what}`)).json()).items;
      for (const { run_id } of await list("/v1/runs")) {
        await (await fetch(`${second.demo.url}/v1/runs/${run_id}/events?follow=true`)).text();
      }
      expect([await list("/v1/runs"), await list("/v1/threads")].map(({ length }) => length)).toEqual([
        expected.runs,
        expected.threads,
      ]);
      const effects = existsSync(ledger) ? readFileSync(ledger, "utf8").trim().split("\n") : [];
      expect(effects).toEqual(expected.effects);
    });
  }
});
