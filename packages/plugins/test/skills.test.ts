import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ModelRequest, RepriseError, textOf, transformRequest } from "@reprise/contracts";
import { permission } from "@reprise/plugins/permission";
import {
  activeSkills,
  discoverSkills,
  type SkillDefinition,
  type SkillsOptions,
  skills,
} from "@reprise/plugins/skills";
import { definePlugin, defineTool } from "@reprise/runtime";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openAgent } from "./support/open-agent.ts";
import { makeFolder, skillMd } from "./support/skill-folder.ts";

const greeting: SkillDefinition = {
  name: "greeting",
  description: "Greets people.",
  instructions: "Say hello first.",
  references: { "words.md": "Hello, Hi" },
  assets: { "wave.png": new Uint8Array([1, 2, 3]) },
};
const activate = (skill: string, more: object = {}) => ({ call: "skill", arguments: { skill, ...more } }) as const;
const load = (path: string, more: object = {}) =>
  ({ call: "load_skill_resource", arguments: { skill: "greeting", path, ...more } }) as const;

const readJson = (text: string): unknown => (text.startsWith("{") ? JSON.parse(text) : text);
const lastText = ({ messages }: ModelRequest) => textOf(messages.at(-1) ?? { content: "" });
const toolResults = (request: ModelRequest | undefined): readonly unknown[] =>
  (request?.messages ?? []).filter(({ role }) => role === "tool").map((message) => readJson(textOf(message)));

describe("skills", () => {
  it("are told with what is wrong with them, before any run", async () => {
    const folder = await makeFolder({
      "code-review/SKILL.md": skillMd("code-review", {}, "Read the diff twice."),
      "broken/SKILL.md": "no front matter",
    });
    const { runtime } = await openAgent({
      plugins: [skills({ skills: [greeting], folders: [folder], scan: [] })],
      script: ["ok"],
    });
    expect(await runtime.agentParts("agent")).toMatchObject([
      { plugin: "skills", kind: "skill", name: "greeting", state: "ready", message: "Greets people." },
      { name: "code-review", state: "ready", details: { problems: [], model_invocable: true } },
      { name: expect.stringMatching(/broken|SKILL/), state: "failed" },
    ]);
  });

  it("are offered in a catalogue, activated by the model, and verified by replay when their files are gone", async () => {
    const folder = await makeFolder({
      "code-review/SKILL.md": skillMd("code-review", { "allowed-tools": "Read Bash(git *)" }, "Read the diff twice."),
    });
    const { run, model, runtime, verify } = await openAgent({
      plugins: [skills({ folders: [folder], scan: [] })],
      agent: { instructions: "Be brief." },
      script: [[activate("code-review", { args: "src/" })], [activate("code-review")], "ok"],
    });
    const outcome = await run();
    const [first, second, third] = model.requests;
    expect(first && lastText(first)).toContain(
      "<skill><name>code-review</name><description>Does code-review.</description>",
    );
    expect(first?.system).toBe("Be brief.");
    expect(first?.tools.map(({ id }) => id)).toEqual(["skill", "load_skill_resource"]);
    expect(first?.tools[0]?.parameters).toMatchObject({ properties: { skill: { enum: ["code-review"] } } });
    const instructions = (second?.messages ?? []).filter((message) => textOf(message).includes("<skill_instructions"));
    expect(instructions.map(({ role, visibility }) => [role, visibility])).toEqual([["user", "internal"]]);
    expect(textOf(instructions[0] ?? { content: "" })).toBe(
      '<skill_instructions skill="code-review">\nRead the diff twice.\n<arguments>src/</arguments>\n</skill_instructions>',
    );
    expect(toolResults(third)).toEqual([
      { activated: true, skill_id: "code-review" },
      { activated: true, skill_id: "code-review", already_active: true },
    ]);
    const state = await runtime.threads.state("t1");
    expect(activeSkills.read(state)).toEqual({
      "code-review": { content_id: expect.stringMatching(/^[0-9a-f]{12}$/) },
    });

    await rm(folder, { recursive: true });
    expect(await verify(outcome)).toMatchObject({ equal: true });
  });

  it("bring no tools and no catalogue when there are none", async () => {
    const { run, model } = await openAgent({ plugins: [skills({ scan: [] })], script: [[activate("x")], "ok"] });
    await run();
    expect(model.requests[0]?.tools).toEqual([]);
    expect(model.requests[0]?.messages).toHaveLength(1);
    expect(JSON.stringify(toolResults(model.requests[1]))).toContain("may not be used in this step");
  });

  it("give the model their files, as text or as base64", async () => {
    const { run, model, verify } = await openAgent({
      plugins: [skills({ skills: [greeting], scan: [] })],
      script: [
        [load("references/words.md"), load("assets/wave.png"), load("references/none.md"), load("words.md")],
        [load("references/words.md", { skill: "nobody" })],
        "ok",
      ],
    });
    const outcome = await run();
    expect(toolResults(model.requests[2])).toMatchObject([
      {
        loaded: true,
        skill_id: "greeting",
        kind: "reference",
        bytes: 9,
        truncated: false,
        content: "Hello, Hi",
        media_type: "text/markdown",
      },
      { kind: "asset", bytes: 3, content: "AQID", encoding: "base64", media_type: "image/png" },
      { error: { code: "invalid_path" } },
      { error: { code: "invalid_path" } },
      { error: { code: "unknown_skill", message: 'There is no skill "nobody". Skills: greeting.' } },
    ]);
    expect(await verify(outcome)).toMatchObject({ equal: true });
  });

  it("are activated by a user who types /name, for every request of the run", async () => {
    const hidden = { ...greeting, modelInvocable: false, allowedTools: ["wave"] };
    const { run, model, runtime, verify } = await openAgent({
      plugins: [skills({ skills: [hidden], scan: [] })],
      script: [[load("references/words.md")], "ok", "ok"],
    });
    const outcome = await run("/greeting Ada\nand Bob");
    const [first, second] = model.requests;
    for (const request of [first, second]) {
      const text = request === undefined ? "" : lastText(request);
      expect(text).toContain("Say hello first.\n<arguments>Ada\nand Bob</arguments>");
      expect(text).not.toContain("available_skills");
    }
    expect(toolResults(second)).toMatchObject([{ content: "Hello, Hi" }]);
    // There is nothing for the model to activate.
    expect(first?.tools.map(({ id }) => id)).toEqual(["load_skill_resource"]);
    const state = await runtime.threads.state("t1");
    expect(activeSkills.read(state)).toMatchObject({ greeting: { typed: "Ada\nand Bob" } });
    expect(await verify(outcome)).toMatchObject({ equal: true });

    await run("not /greeting");
    expect(model.requests[2]?.tools).toEqual([]);
    expect(JSON.stringify(model.requests[2]?.messages)).not.toContain("Say hello first.");
  });

  it("cannot be typed or activated against what they say of themselves", async () => {
    const silent = { ...greeting, userInvocable: false, modelInvocable: false };
    const { run, model } = await openAgent({
      plugins: [skills({ skills: [silent, { ...greeting, name: "other" }], scan: [] })],
      script: [[activate("greeting")], "ok"],
    });
    await run("/greeting");
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain("Say hello first.");
    expect(toolResults(model.requests[1])).toMatchObject([{ error: { code: "unknown_skill" } }]);
  });

  it("are chosen by the lists of the agent and of the run", async () => {
    const named = ["a", "ab", "b", "c"].map((name) => ({ ...greeting, name }));
    const { runtime, model } = await openAgent({
      plugins: [skills({ skills: named, scan: [] })],
      agent: { allowedSkills: ["b"], allowedSkillPatterns: ["a*"], excludedSkills: ["ab"] },
      script: ["ok", "ok"],
    });
    const offered = () =>
      (model.requests.at(-1)?.tools[0]?.parameters as { properties?: { skill?: { enum?: unknown } } })?.properties
        ?.skill?.enum;
    await runtime.runToCompletion({ agent: "agent", input: "go" });
    expect(offered()).toEqual(["a", "b"]);
    await runtime.runToCompletion({ agent: "agent", input: "go", policy: { excludedSkills: ["a"] } });
    expect(offered()).toEqual(["b"]);
  });

  it("stay in the request while they are active, whatever is left out of it", async () => {
    const forgetful = definePlugin({
      id: "forgetful",
      hooks: {
        beforeInference: () => [transformRequest((request) => ({ ...request, messages: request.messages.slice(-1) }))],
      },
    });
    const { run, model } = await openAgent({
      plugins: [forgetful, skills({ skills: [greeting], scan: [] })],
      script: [[activate("greeting")], [load("references/words.md")], "ok", "ok"],
    });
    await run();
    const told = () => model.requests.map((request) => JSON.stringify(request.messages).includes("Say hello first."));
    expect(told()).toEqual([false, true, true]);
    const { messages, pinned } = model.requests[2] ?? {};
    expect(pinned).toEqual([messages?.[0]?.id]);
    // The next run has not activated it.
    await run();
    expect(told()).toEqual([false, true, true, false]);
  });

  it("can be there without a catalogue", async () => {
    const plugin = skills({ skills: [greeting], scan: [], advertiseCatalog: false });
    const { run, model } = await openAgent({ plugins: [plugin], script: [[activate("greeting")], "ok"] });
    await run();
    expect(model.requests[0]?.messages).toHaveLength(1);
    expect(model.requests[0]?.tools).toHaveLength(2);
  });

  const wave = defineTool({ id: "wave", description: "Waves.", execute: () => "waved" });
  const rules = [
    { tool: "skill", behavior: "allow" },
    { tool: "bow", behavior: "deny" },
  ] as const;
  const bow = defineTool({ id: "bow", description: "Bows.", execute: () => "bowed" });

  it.each<[string, string, SkillsOptions, "done" | "waiting"]>([
    ["the model", "go", {}, "done"],
    ["a user", "/greeting", {}, "done"],
    ["the model, unless grants are turned off", "go", { grantTools: false }, "waiting"],
  ])("grant the run their tools when %s activates them; a deny still wins", async (_, input, options, status) => {
    const polite = { ...greeting, allowedTools: ["wave", "bow"] };
    const { run, model } = await openAgent({
      plugins: [permission({ rules }), skills({ skills: [polite], scan: [], ...options })],
      tools: [wave, bow],
      script: [[activate("greeting")], [{ call: "wave" }, { call: "bow" }], "ok"],
    });
    const outcome = await run(input);
    expect(outcome.status).toBe(status);
    expect(JSON.stringify(model.requests)).not.toContain("bowed");
    if (status === "done") expect(toolResults(model.requests.at(-1))).toContain("waved");
  });

  it("take their settings from a configuration file, and its lists", async () => {
    const folder = await makeFolder({ "one/SKILL.md": skillMd("one"), "two/SKILL.md": skillMd("two") });
    const { run, model, verify } = await openAgent({
      configured: {
        plugin_ids: ["skills"],
        sections: { skills: { folders: [folder], scan: [], advertise_catalog: true } },
        excluded_skills: ["two"],
      },
      script: [[activate("one")], "ok"],
    });
    const outcome = await run();
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("Does one.");
    expect(JSON.stringify(model.requests[0]?.messages)).not.toContain("Does two.");
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("Do it as one does.");
    expect(await verify(outcome)).toMatchObject({ equal: true });
  });

  it("can be turned off for an agent", async () => {
    const { run, model } = await openAgent({
      plugins: [skills({ skills: [greeting], scan: [] })],
      agent: { sections: { skills: { enabled: false } } },
    });
    await run("/greeting");
    expect(model.requests[0]?.tools).toEqual([]);
    expect(model.requests[0]?.messages).toHaveLength(1);
  });

  it("fail the run when they have problems and strict is on; otherwise context_resolved names what was left out", async () => {
    const folder = await makeFolder({ "one/SKILL.md": skillMd("other"), "bad/SKILL.md": "no front matter" });
    const strict = await openAgent({ plugins: [skills({ folders: [folder], scan: [], strict: true })] });
    const failed = await strict.run();
    expect(failed).toMatchObject({ status: "failed", code: "PLUGIN_FAILED" });
    expect(JSON.stringify(failed)).toContain("must be the name of the folder");
    const lenient = await openAgent({ plugins: [skills({ folders: [folder], scan: [] })] });
    const run = await lenient.runtime.start({ agent: "agent", input: "go" });
    const facts: unknown[] = [];
    for await (const event of run.events({ follow: true }))
      if (event.type === "context_resolved") facts.push(event.data);
    expect(JSON.stringify(facts)).toContain("the file must begin with a line `---`");
    expect(JSON.stringify(lenient.model.requests[0]?.messages)).toContain("<name>one</name>");
  });
});

it("finds the project's skills before the user's, and configured ones before both", async () => {
  const [configured, project, user] = await Promise.all([
    makeFolder({ "a/SKILL.md": skillMd("a", { description: "configured" }) }),
    makeFolder({
      ".agents/skills/a/SKILL.md": skillMd("a"),
      ".agents/skills/b/SKILL.md": skillMd("b", { description: "project" }),
    }),
    makeFolder({
      ".agents/skills/b/SKILL.md": skillMd("b"),
      ".agents/skills/c/SKILL.md": skillMd("c", { description: "user" }),
      ".agents/skills/notes.md": "x",
    }),
  ]);
  vi.spyOn(process, "cwd").mockReturnValue(project);
  vi.stubEnv("HOME", user);
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
  const { skills: found, problems } = await discoverSkills({ folders: [configured] });
  expect(found.map(({ name, description }) => [name, description])).toEqual([
    ["a", "configured"],
    ["b", "project"],
    ["c", "user"],
  ]);
  expect(
    problems.map(({ level, message }) => [level, message.endsWith("has the same name and is used instead")]),
  ).toEqual([
    ["warning", true],
    ["warning", true],
  ]);
  expect((await discoverSkills({ folders: [configured], scan: [] })).skills.map(({ name }) => name)).toEqual(["a"]);
});

it("reads a file again when it has changed", async () => {
  const folder = await makeFolder({ "a/SKILL.md": skillMd("a") });
  const describeIt = async () => (await discoverSkills({ folders: [folder], scan: [] })).skills[0]?.description;
  expect(await describeIt()).toBe("Does a.");
  await writeFile(join(folder, "a/SKILL.md"), skillMd("a", { description: "Does it differently." }));
  expect(await describeIt()).toBe("Does it differently.");
});

it("refuses a skill in code that cannot be meant", () => {
  expect(() => skills({ skills: [{ ...greeting, name: "Not A Name" }] })).toThrow(RepriseError);
  expect(() => skills({ skills: [{ ...greeting, description: " " }] })).toThrow("description");
});
