import { type LanguageModel, notFound, RepriseError } from "@reprise/contracts";
import type { Agent } from "./define-agent.ts";

/** The agents and models a runtime knows, by id. */
export class Registry {
  readonly #agents = new Map<string, Agent>();
  readonly #models = new Map<string, LanguageModel>();

  constructor(agents: readonly Agent[], models: readonly LanguageModel[]) {
    for (const model of models) {
      if (this.#models.has(model.id)) {
        throw new RepriseError("INVALID_DEFINITION", `Two models have the id ${JSON.stringify(model.id)}.`);
      }
      this.#models.set(model.id, model);
    }
    for (const agent of agents) {
      if (this.#agents.has(agent.id)) {
        throw new RepriseError("INVALID_DEFINITION", `Two agents have the id ${JSON.stringify(agent.id)}.`);
      }
      this.modelOf(agent);
      this.#agents.set(agent.id, agent);
    }
  }

  agent(id: string): Agent {
    const agent = this.#agents.get(id);
    if (agent === undefined) throw notFound("AGENT_NOT_FOUND", "agent", id, [...this.#agents.keys()]);
    return agent;
  }

  modelOf({ model }: Agent): LanguageModel {
    if (typeof model !== "string") return model;
    const known = this.#models.get(model);
    if (known === undefined) throw notFound("MODEL_NOT_FOUND", "model", model, [...this.#models.keys()]);
    return known;
  }
}
