import { expect, it } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { runCli } from "./support/run-cli.ts";

it("shows rules, remembered answers, a skill and the tools of an MCP server in the agent `ruled`", async () => {
  const cwd = createTemporaryFolder();
  const input = [
    "how is the weather in Lisbon?",
    "use the skill haiku",
    "the weather in Oslo is wrong",
    "approve thread",
    "the weather in Berlin is wrong",
    "send a mail to ann@example.org saying hi",
    "/quit",
  ].join("\n");
  const { code, stdout, stderr } = await runCli(["chat", "ruled", "--demo", "--thread", "t"], { cwd, input });
  expect({ code, stdout: stdout.split("\n") }).toEqual({
    code: 0,
    stdout: [
      "I will use the tool mcp__weather__forecast.",
      'mcp__weather__forecast answered: {"celsius":19,"sky":"clear"}',
      "I will use the tool skill.",
      'skill answered: {"activated":true,"skill_id":"haiku"}',
      "I will use the tool mcp__weather__report_wrong.",
      'mcp__weather__report_wrong answered: "Thank you. We look at Oslo again."',
      "I will use the tool mcp__weather__report_wrong.",
      'mcp__weather__report_wrong answered: "Thank you. We look at Berlin again."',
      "I will use the tool sendEmail.",
      "The tool sendEmail failed, and the run continues: Mails to example.org are not permitted.",
      "",
    ],
  });
  // The second report was not asked about again.
  expect(stderr.match(/report_wrong \{"city":"\w+"\}: approve/g)).toHaveLength(1);
});

it("has the researcher delegate to the assistant, and both runs are kept", async () => {
  const cwd = createTemporaryFolder();
  const ran = await runCli(["run", "researcher", "Tell me about forks", "--demo", "--thread", "t"], { cwd });
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringMatching(/Characters read: 0 \+ \d+ = \d+/)]);
  const listed = await runCli(["runs", "list", "--demo", "--json"], { cwd });
  const runs = JSON.parse(listed.stdout).items ?? JSON.parse(listed.stdout);
  expect(runs).toMatchObject([
    { agent_id: "assistant", status: "done", origin: "subagent" },
    { agent_id: "researcher", status: "done" },
  ]);
});
