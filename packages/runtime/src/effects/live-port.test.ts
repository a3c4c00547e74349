import type { BlobStore, Changeset, Claim } from "@reprise/contracts";
import { createFakeEnv } from "@reprise/testkit";
import { expect, it } from "vitest";
import { LivePort } from "./live-port.ts";
import { LongTexts } from "./long-texts.ts";
import { MailSource } from "./mail-flag.ts";
import { ClaimLost, RunCancelled } from "./outcomes.ts";

const CLAIM: Claim = { tenant: "default", thread_id: "t1", epoch: 1, kind: "start", owner: "p", lease_until: 0 };

function openPort() {
  const env = createFakeEnv();
  const controller = new AbortController();
  const loss = new AbortController();
  const lost = loss.signal;
  const texts = new LongTexts({} as BlobStore, "default", env);
  const mail = new MailSource(false);
  const port = new LivePort({ env, time: env.clock, claim: CLAIM, signal: controller.signal, lost, mail, texts });
  const entered: string[] = [];
  const ask = (of: string): Promise<void> =>
    port.perform({ kind: "execute", of }, async () => null).then(() => void entered.push(of));
  return { env, port, controller, loss, mail, entered, ask };
}

it("an effect enters at once while the loop waits for nothing else", async () => {
  const { ask, entered } = openPort();
  await ask("a");
  expect(entered).toEqual(["a"]);
});

it("effects enter in turns of their own, first come first served, while parts of the loop run beside each other", async () => {
  const { env, port, ask, entered } = openPort();
  port.fork();
  void ask("a");
  void ask("b");
  for (const expected of [[], ["a"], ["a", "b"]]) {
    expect(entered).toEqual(expected);
    await env.yield();
    await env.yield();
  }
  const kinds = port.take({ events: [], patches: [] }).map(({ kind, of }) => `${kind} ${of}`);
  expect(kinds.slice(1)).toEqual(["execute a", "execute b"]);
});

it("a cancellation and mail come in a turn of their own, and what was asked meanwhile comes after them", async () => {
  const { env, port, controller, mail, ask, entered } = openPort();
  controller.abort(new RunCancelled("e", "enough"));
  mail.raise();
  void ask("a");
  expect([port.signal.aborted, port.mail.has("steering")]).toEqual([false, false]);
  for (let turn = 0; turn < 10; turn += 1) await env.yield();
  expect([port.signal.aborted, port.mail.has("steering"), entered]).toEqual([true, true, ["a"]]);
  const kinds = port.take({ events: [], patches: [] }).map(({ kind }) => kind);
  expect(kinds).toEqual(["claim", "cancel", "mail", "execute"]);
});

it("commits nothing once the claim is lost, whether the store knows of it or not", async () => {
  const { port, loss } = openPort();
  // A port looks at nothing else of it.
  const changeset = { changeset_id: "c", events: [] } as unknown as Changeset;
  let commits = 0;
  const commit = async (): Promise<number> => ++commits;
  expect(await port.commit(changeset, commit)).toBe(1);
  loss.abort(new ClaimLost("It ran out."));
  await expect(port.commit(changeset, commit)).rejects.toThrow("It ran out.");
  expect(commits).toBe(1);
});
