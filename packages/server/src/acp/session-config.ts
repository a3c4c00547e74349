import { type AcpConfigOption, RPC_ERRORS, RpcError, readParams, SET_CONFIG, SET_MODE } from "@reprise/protocols/acp";
import type { AgentInfo } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import type { ConnectedClient } from "./connected-client.ts";
import type { SessionRecord } from "./session-records.ts";

/** The ids of the options. */
const AGENT = "mode";
const MODEL = "model";

/** What a person may choose for a session: which agent answers, where there are several, and which model, where the agent allows it. */
function configOptions(record: SessionRecord, agents: readonly AgentInfo[]): readonly AcpConfigOption[] {
  const agent = agents.find(({ id }) => id === record.agent);
  const models = agent?.models ?? [];
  const model = record.model ?? agent?.model;
  return [
    ...(agents.length < 2
      ? []
      : [
          {
            type: "select",
            id: AGENT,
            name: "Agent",
            category: "mode",
            currentValue: record.agent,
            options: agents.map(({ id, name, description }) => ({
              value: id,
              name: name === "" ? id : name,
              ...(description !== "" && { description }),
            })),
          } as const,
        ]),
    ...(models.length === 0 || model === undefined
      ? []
      : [
          {
            type: "select",
            id: MODEL,
            name: "Model",
            category: "model",
            currentValue: model,
            options: [...new Set([model, ...models])].map((value) => ({ value, name: value })),
          } as const,
        ]),
  ];
}

/** The same for clients that know modes and no options. */
function modes(record: SessionRecord, agents: readonly AgentInfo[]): Json | undefined {
  const option = configOptions(record, agents).find(({ id }) => id === AGENT);
  if (option === undefined) return undefined;
  const availableModes = option.options.map(({ value, ...mode }) => ({ id: value, ...mode }));
  return { currentModeId: record.agent, availableModes };
}

/** The part of the answers to `session/new`, `session/load` and `session/resume` that says what can be chosen. */
export function describeChoices(record: SessionRecord, agents: readonly AgentInfo[]): { readonly [key: string]: Json } {
  const options = configOptions(record, agents);
  const shown = modes(record, agents);
  return {
    ...(shown !== undefined && { modes: shown }),
    // Plain JSON; its interface hides it.
    ...(options.length > 0 && { configOptions: options as unknown as Json }),
  };
}

export async function setMode(client: ConnectedClient, params: Json): Promise<Json> {
  const { sessionId, modeId } = readParams(SET_MODE, params);
  const { records, runtime } = client;
  const agents = runtime.agents();
  const record = await records.save(sessionId, choose(await records.load(sessionId), agents, AGENT, modeId));
  const options = configOptions(record, agents);
  await client.open(sessionId).update({ sessionUpdate: "config_option_update", configOptions: options });
  return {};
}

export async function setConfigOption(client: ConnectedClient, params: Json): Promise<Json> {
  const { sessionId, configId, value } = readParams(SET_CONFIG, params);
  const { records, runtime } = client;
  const agents = runtime.agents();
  const before = await records.load(sessionId);
  const record = await records.save(sessionId, choose(before, agents, configId, value));
  if (record.agent !== before.agent)
    await client.open(sessionId).update({ sessionUpdate: "current_mode_update", currentModeId: record.agent });
  // Plain JSON; its interface hides it.
  return { configOptions: configOptions(record, agents) as unknown as Json };
}

/** A record with another choice. `-32602` for an option or a value that was not offered. */
function choose(record: SessionRecord, agents: readonly AgentInfo[], configId: string, value: string): SessionRecord {
  const options = configOptions(record, agents);
  const option = options.find(({ id }) => id === configId);
  if (option === undefined)
    throw unknownChoice(
      "configId",
      configId,
      options.map(({ id }) => id),
    );
  const values = option.options.map((each) => each.value);
  if (!values.includes(value)) throw unknownChoice("value", value, values);
  if (configId === MODEL) return { ...record, model: value };
  // The models that may be chosen are the agent's.
  const { model: _, ...rest } = record;
  return { ...rest, agent: value };
}

function unknownChoice(field: string, given: string, known: readonly string[]): RpcError {
  const list = known.slice(0, 10).join(", ") || "none";
  return new RpcError(RPC_ERRORS.invalidParams, `${field} ${JSON.stringify(given)} is not offered. Known: ${list}.`);
}
