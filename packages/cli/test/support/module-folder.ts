import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { createTemporaryFolder } from "../../../../test/support/temporary-folder.ts";

const PACKAGES = join(import.meta.dirname, "../../../../node_modules");

/** A project with modules of its own, in which `reprise` is installed. Lives as long as the test. */
export function createModuleFolder(files: Readonly<Record<string, string>>): string {
  const folder = createTemporaryFolder({ "package.json": '{ "type": "module" }', ...files });
  linkPackages(folder);
  return folder;
}

/** Has `reprise` installed in a folder. */
export function linkPackages(folder: string): void {
  symlinkSync(PACKAGES, join(folder, "node_modules"), "dir");
}

/** A module with an agent that answers, and one whose tool needs approval. */
export const AGENTS = `
import { defineAgent, defineTool, scriptedModel } from "reprise";

const pay = defineTool({ id: "pay", description: "Pays a bill.", needsApproval: true, execute: () => ({ paid: true }) });

export const greeter = defineAgent({ id: "greeter", model: scriptedModel(["Hello from the module."]) });
export const payer = defineAgent({ id: "payer", model: scriptedModel([[{ call: "pay" }], "It is paid."]), tools: [pay] });
`;
