import { scriptedModel } from "@reprise/models";
import { agentMemory } from "@reprise/plugins/memory";
import { type Agent, defineAgent } from "@reprise/runtime";

/** Remembers one thing, then says so. */
export function defineRememberingAgent(): Agent<"agent"> {
  const model = scriptedModel([[{ call: "remember", arguments: { text: "Likes tea." } }], "Noted."]);
  return defineAgent({ id: "agent", model, plugins: [agentMemory()] });
}
