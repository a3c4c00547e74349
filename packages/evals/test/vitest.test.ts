import { join } from "node:path";
import { blockCall, definePlugin } from "reprise";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { writeJsonFile } from "../src/files.ts";
import { evalRun } from "../src/vitest.ts";
import { makeCase, shopAgent } from "./support/shop.ts";

const rule = definePlugin({ id: "rule", hooks: { beforeToolExecute: () => [blockCall("No.")] } });

it("plays the file of a case in a test, and knows what to expect of it", async () => {
  const file = join(createTemporaryFolder({}), "refund.case.json");
  await writeJsonFile(file, await makeCase());
  const played = await evalRun(file, { agents: [shopAgent()] });
  expect(played).toPassEval({ strict: true });
  expect(played).toHaveCalled(["find_order", { tool: "refund", arguments: { amount: 20 } }]);
  expect(played).toHaveCalled(["refund"], "any_order");
  expect(played).not.toHaveCalled(["refund"]);
  expect(played).not.toHaveAskedAbout("refund");
  expect(played).toHaveEnded("natural");
  await expect(evalRun(join(file, ".."), { agents: [] })).resolves.toMatchObject({ verdict: "failed" });
});

it("fails with the checks that failed", async () => {
  const blocked = await evalRun(await makeCase(), { agents: [shopAgent({ plugins: [rule] })] });
  expect(() => expect(blocked).toPassEval()).toThrow(
    /Case refund-small failed:\n {2}failed: tools: call 1 must be find_order/,
  );
  expect(() => expect(blocked).toHaveCalled(["refund"])).toThrow(/call 1 must be refund/);
  const gone = await evalRun(await makeCase(), { agents: [] });
  expect(() => expect(gone).toHaveEnded("natural")).toThrow(/could not be played: There is no agent/);
});
