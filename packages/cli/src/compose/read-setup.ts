import type { Definitions } from "@reprise/runtime";
import { type Config, type ConfigPorts, type ConfigProblem, checkConfig, readConfig } from "@reprise/server/config";
import type { Settings } from "../settings/settings.ts";
import { createPorts } from "./create-ports.ts";
import { SCRIPTED } from "./create-provider.ts";
import { readDocument } from "./read-document.ts";

/** What was configured. */
export interface Setup {
  readonly settings: Settings;
  readonly config: Config;
  /** The configuration's file, when it is from one. */
  readonly file?: string;
}

/** The same with what can be run, and with what it is completed when it changes. */
export interface WholeSetup extends Setup {
  readonly definitions: Definitions;
  readonly ports: ConfigPorts;
  /** What the configuration names and is not installed. */
  readonly warnings: readonly ConfigProblem[];
}

/** Reads the configuration, for who needs no agents: names and keys are not looked at. */
export function readSetup(settings: Settings): Setup {
  const { value, file } = readDocument(settings);
  return { settings, config: readConfig(value), ...(file !== undefined && { file }) };
}

/** Reads it and makes the agents. Throws with everything that is wrong: also unknown names and missing keys. */
export function readWholeSetup(settings: Settings): WholeSetup {
  const { value, file } = readDocument(settings);
  const ports = createPorts(settings, value);
  return { settings, ports, ...checkConfig(value, ports), ...(file !== undefined && { file }) };
}

export function sayWarning({ path, message }: ConfigProblem): string {
  return `warning: ${path}: ${message}`;
}

/** Whether there are models that only do what a script says. */
export function isScripted({ config }: Setup): boolean {
  return Object.values(config.providers).some(({ adapter_kind }) => adapter_kind === SCRIPTED);
}
