import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { runCli } from "./support/run-cli.ts";

const AGENT = join(import.meta.dirname, "../../backends/test/support/sdk-agent.mjs");

it("runs a program that the configuration names, and no other", async () => {
  const cwd = createTemporaryFolder();
  const config = (url: string) => ({
    acp_agents: { sdk: { command: process.execPath, args: [AGENT], cwd, inherit_env: ["PATH"] } },
    agents: [{ id: "coder", endpoint: { backend: "acp", url } }],
  });
  writeFileSync(join(cwd, "good.json"), JSON.stringify(config("acp:sdk")));
  const ended = await runCli(["run", "coder", "hello", "--config", "good.json"], { cwd });
  expect(ended).toMatchObject({ code: 0, stdout: "Prompts of this session: 1.\n" });
  writeFileSync(join(cwd, "bad.json"), JSON.stringify(config("acp:/bin/sh")));
  const refused = await runCli(["config", "check", "--config", "bad.json"], { cwd });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("its url must be one of acp:sdk");
});
