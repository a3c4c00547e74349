import { scriptedModel } from "@reprise/models";
import { handoff } from "@reprise/plugins/handoff";
import { type Agent, defineAgent } from "@reprise/runtime";

/** `clerk` hands every conversation to `expert`, which answers. `asked` is called before an agent is asked for a step. */
export function defineHandedOverAgents(asked: (agent: string) => void = () => undefined): readonly Agent[] {
  const clerk = scriptedModel(() => {
    asked("clerk");
    return [{ call: "agent_handoff", arguments: { agent_id: "expert", message: "He waits." } }];
  });
  const expert = scriptedModel(() => {
    asked("expert");
    return "an answer";
  });
  return [
    defineAgent({ id: "clerk", model: clerk, plugins: [handoff()] }),
    defineAgent({ id: "expert", model: expert, plugins: [handoff()] }),
  ];
}
