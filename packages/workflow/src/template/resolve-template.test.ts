import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTemplate } from "./parse-template.ts";
import { renderTemplate, resolveTemplates, type TemplateCapabilities } from "./resolve-template.ts";
import { referencesOf, type TemplateScope } from "./template.ts";

const scope: TemplateScope = {
  inputs: { name: "Ann", "with-hyphen": 1, nothing: null },
  ctx: { k: { deep: [true] } },
  outputs: { "my-node": { a: [{ b: "x" }] }, "odd node": 5 },
  locals: { item: { id: 7 }, index: 0 },
};

async function messageOf(text: string, capabilities?: TemplateCapabilities): Promise<readonly [string, string]> {
  const rendered = await renderTemplate(text, scope, capabilities);
  if (!("failure" in rendered)) throw new Error(`It has a value: ${rendered.value}`);
  return [rendered.failure.code, rendered.failure.message];
}

it.each([
  ["plain", "plain"],
  ["Hello {{ inputs.name }}, {{inputs.with-hyphen}}!", "Hello Ann, 1!"],
  ['{{ run.outputs["my-node"].a[0].b }}{{ run.outputs.my-node.a[0]["b"] }}', "xx"],
  ['{{ run.outputs["odd node"] }}', "5"],
  ["{{ ctx.k }} {{ ctx.k.deep[0] }}", '{"deep":[true]} true'],
  ["{{ item.id }}{{ index }}", "70"],
  ["{{ inputs.nothing }}", "null"],
  ['{{ inputs.nothing | default("none") }}{{ inputs.absent | default("no \\"one\\"") }}', 'noneno "one"'],
  ["{{ inputs.name | json }}{{ inputs.name | length }}{{ ctx.k.deep | length }}{{ ctx.k | length }}", '"Ann"311'],
  ['{{ inputs.absent.deeper[3] | default("") }}', ""],
  ['{{ "{{" }} stays }}', "{{ stays }}"],
])("renders %s", async (text, value) => {
  expect(await renderTemplate(text, scope)).toEqual({ value });
});

it("keeps the type of a value that is one single reference, and makes texts of all others", async () => {
  const given = {
    a: "{{ ctx.k.deep }}",
    b: ["{{ run.outputs.my-node.a | length }}", "n: {{ index }}"],
    c: 1,
    "{{ key }}": null,
  };
  expect(await resolveTemplates(given, scope)).toEqual({
    value: { a: [true], b: [1, "n: 0"], c: 1, "{{ key }}": null },
  });
});

it("names a reference that has no value", async () => {
  expect(await messageOf("{{ run.outputs.my-node.missing }}")).toEqual([
    "validation",
    '{{ run.outputs.my-node.missing }} has no value. Use {{ run.outputs.my-node.missing | default("…") }} where it may be absent.',
  ]);
  const nested = await resolveTemplates({ a: ["x {{ inputs.absent }}"] }, scope);
  expect(nested).toMatchObject({ failure: { code: "validation", retryable: false } });
});

it("reads own fields only", async () => {
  for (const name of ["constructor", "__proto__", "toString", "length"])
    expect((await messageOf(`{{ ctx.k.deep.${name} }}`))[0]).toBe("validation");
  expect((await messageOf("{{ inputs.constructor.name }}"))[0]).toBe("validation");
});

describe("read_file", () => {
  const readFile = async (path: string): Promise<string> => {
    if (path === "gone.md") throw new Error("ENOENT");
    return `content of ${path}`;
  };
  const read = (path: string, capabilities: TemplateCapabilities) =>
    renderTemplate("{{ inputs.path | read_file }}", { ...scope, inputs: { path } }, capabilities);

  it("goes through the host, with the path and the scope", async () => {
    expect(await read("docs/a.md", { readFile })).toEqual({ value: "content of docs/a.md" });
    const scoped = async (_: string, fsScope: string): Promise<string> => fsScope;
    expect(await read("/a.md", { readFile: scoped, fsScope: "full" })).toEqual({ value: "full" });
  });

  it.each([
    "/etc/passwd",
    "../a",
    "a/../../b",
    "~/a",
    "C:\\a",
    "\\\\host\\a",
    "a\\..\\b",
    "",
    "a\0b",
    ".env",
    "x/.ENV.local",
    ".ssh/id",
    "a/.aws/x",
  ])("refuses %j in a sandbox", async (path) => {
    expect(await read(path, { readFile })).toMatchObject({ failure: { code: "tool_denied", retryable: false } });
  });

  it("reads credentials in no scope", async () => {
    for (const fsScope of ["sandboxed", "project", "full"] as const)
      expect(await read("/home/ann/.ssh/id_ed25519", { readFile, fsScope })).toMatchObject({
        failure: { code: "tool_denied" },
      });
  });

  it("fails as a host that gives no files, as a file that is gone, and as a value that is no path", async () => {
    expect(await read("a.md", {})).toMatchObject({ failure: { code: "internal", retryable: false } });
    expect(await read("gone.md", { readFile })).toMatchObject({ failure: { code: "tool_failed", retryable: true } });
    expect((await messageOf("{{ index | read_file }}", { readFile }))[0]).toBe("validation");
  });
});

describe("the parser", () => {
  it.each([
    ["{{", "`{{` has no `}}`"],
    ["{{ }}", "`{{ }}` is empty"],
    ["{{ inputs.a", "`{{` has no `}}`"],
    ["{{ inputs. }}", "a name is expected after the dot"],
    ["{{ inputs[a] }}", "a string or a whole number is expected in brackets"],
    ["{{ inputs.a + 1 }}", '"+" is not expected'],
    ["{{ inputs.a() }}", '"(" is not expected'],
    ["{{ inputs.a | defalt }}", "the nearest is default"],
    ["{{ inputs.a | default }}", "needs a string"],
    ["{{ inputs.a | default(1) }}", "needs a string"],
    ["{{ inputs.a | json(1) }}", "takes no argument"],
    ['{{ "open }}', "a string has no end"],
  ])("refuses %s", (text, message) => {
    expect(parseTemplate(text)).toEqual({ problem: { message: expect.stringContaining(message), offset: 0 } });
  });

  it("takes any text, and one without braces for itself", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("{", "}", '"', "|", ".", "[", "]", "a", " ", "\\", "1") }),
        (text) => {
          const parsed = parseTemplate(text);
          if (!text.includes("{{")) expect(parsed).toEqual({ template: { parts: text === "" ? [] : [{ text }] } });
          if ("template" in parsed) expect(referencesOf(parsed.template).every(({ root }) => root !== "")).toBe(true);
        },
      ),
    );
  });
});
