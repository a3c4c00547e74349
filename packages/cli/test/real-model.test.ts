import { startModelServer } from "@reprise/testkit/model-server";
import { expect, it, onTestFinished } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { linesOf, runCli } from "./support/run-cli.ts";

const KEY = "sk-planted-0123456789abcdef";

it("uses the real model when the environment has one, and shows its key to nobody", async () => {
  const server = await startModelServer([[{ call: "calculator", arguments: { expression: "6*7" } }], "It is 42."]);
  onTestFinished(() => server.close());
  const env = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: KEY };
  const cwd = createTemporaryFolder();
  const ended = await runCli(["run", "default", "what is 6 times 7?", "--demo", "--json"], { cwd, env });
  expect(linesOf(ended).at(-1)).toMatchObject({ outcome: { status: "done", text: "It is 42." } });
  expect(server.requests.map(({ body }) => body)).toMatchObject([{ model: "gpt-5-mini" }, { model: "gpt-5-mini" }]);
  const doctor = await runCli(["doctor"], { cwd, env });
  expect(doctor.stdout).toMatch(
    /^ok {4}models +keys set: OPENAI_API_KEY; agents that name no model use openai\/gpt-5-mini$/m,
  );
  expect(ended.stdout + ended.stderr + doctor.stdout + doctor.stderr).not.toContain(KEY);
});
