import { expect, it } from "vitest";
import { readDefinition } from "./skill.ts";
import { loadResource } from "./skill-source.ts";

const definition = {
  name: "x",
  description: "x",
  instructions: "x",
  references: { "big.md": `a${"é".repeat(200_000)}` },
  assets: { "big.bin": new Uint8Array(600_000) },
};
const skill = readDefinition(definition);

it("cuts a large reference at a whole character", async () => {
  const { content, ...rest } = await loadResource(skill, [definition], "references/big.md", "reference");
  expect(rest).toEqual({ bytes: 400_001, truncated: true, media_type: "text/markdown" });
  expect(content).toMatch(/^aé+$/);
  expect(Buffer.byteLength(content)).toBe(262_143);
});

it("cuts a large asset", async () => {
  const { content, ...rest } = await loadResource(skill, [definition], "assets/big.bin", "asset");
  expect(rest).toEqual({ bytes: 600_000, truncated: true, encoding: "base64" });
  expect(Buffer.from(content, "base64")).toHaveLength(524_288);
});

it("finds no file by the name of a member that every object has", async () => {
  const loading = loadResource(skill, [definition], "references/constructor", "reference");
  await expect(loading).rejects.toMatchObject({ code: "invalid_path" });
});
