import { appendFileSync } from "node:fs";
import { scriptedModel } from "@reprise/models";
import { createServer } from "@reprise/server";
import { createRuntime, defineAgent, defineTool } from "reprise";
import { openPlace, serveUntilTold } from "./serve-until-told.ts";

// A server that is killed when it has reserved a request's ids, or when it would keep the answer. The ledger has a line for every
// time the tool ran, in whichever process.
const [, , place = ""] = process.argv;
const { DIE_AT: dieAt, LEDGER: ledger = "" } = process.env;
const note = defineTool({
  id: "note",
  description: "Writes a line.",
  execute: () => {
    appendFileSync(ledger, "noted\n");
    return { noted: true };
  },
});
const model = scriptedModel(() => "Hello.");
const store = await openPlace(place);
const runtime = await createRuntime({ agents: [defineAgent({ id: "assistant", model, tools: [note] })], store });
const { documents } = runtime;
const save = documents.saveDocument.bind(documents);
documents.saveDocument = async (document, expected) => {
  const isAnswered = (document.body as { readonly answer?: unknown }).answer !== null;
  const isRemembered = document.kind === "idempotency";
  if (isRemembered && isAnswered && dieAt === "answer") process.kill(process.pid, "SIGKILL");
  const saved = await save(document, expected);
  if (isRemembered && dieAt === "reservation") process.kill(process.pid, "SIGKILL");
  return saved;
};
await serveUntilTold({ store, runtime, doors: [{ server: createServer({ runtime }) }] });
