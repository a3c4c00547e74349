import { workflowSchema } from "@reprise/workflow";
import { Ajv } from "ajv";
import { expect, it } from "vitest";
import { readWorkflow } from "../src/document/read-workflow.ts";

it("publishes the schema of documents for editors; `npm test -- -u` rewrites it", async () => {
  await expect(`${JSON.stringify(workflowSchema(), null, 2)}\n`).toMatchFileSnapshot("../workflow.schema.json");
});

it("publishes a schema that takes what the reader takes, bodies included, and refuses unknown keys in them", () => {
  const validate = new Ajv({ strict: false }).compile(workflowSchema());
  const inner = { id: "b", type: "transform", expression: "item" };
  const fan = { id: "f", type: "fan_out", over: "[1]", body: { nodes: [inner] } };
  const document = { schema_version: "1.0", workflow: { id: "w", nodes: [{ id: "a", type: "input" }, fan] } };
  expect(readWorkflow(JSON.stringify(document))).toEqual(document);
  expect(validate(document)).toBe(true);
  const wrong = { ...fan, body: { nodes: [{ ...inner, expresion: "item" }] } };
  expect(validate({ ...document, workflow: { id: "w", nodes: [wrong] } })).toBe(false);
});
