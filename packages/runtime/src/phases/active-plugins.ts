import { describeThrown, type Plugin, RepriseError } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { NEVER, withTimeout } from "../effects/with-timeout.ts";
import type { Host, StateAccess } from "../run/ports.ts";
import { type CountedRun, countInferences, type SpentInference, takeInferences } from "./infer-for-plugin.ts";
import { activationKey, type ObservedRun, PhaseView } from "./phase-view.ts";
import { decodeInferences, recordedInferences } from "./stored-answers.ts";

type ActivatedRun = ObservedRun & CountedRun & Pick<StateAccess, "document"> & Host;

/** The plugins that were told that a run is worked on in this process, and are to be told when that is over. */
export class ActivePlugins {
  readonly #workspace: ActivatedRun;
  readonly #active: Plugin[] = [];

  constructor(workspace: ActivatedRun) {
    this.#workspace = workspace;
  }

  /** Tells them, in order. One that refuses, or takes too long, fails the run. */
  async activate(): Promise<void> {
    const { agent, signal, services } = this.#workspace;
    for (const plugin of agent.installed.plugins) {
      if (plugin.onActivate === undefined && plugin.onDeactivate === undefined) continue;
      const view = this.#view(plugin, "activation");
      const place = `${this.#keyOf("activation")}:${plugin.id}`;
      // What it records is known afterwards; records are JSON, which their interface hides.
      const encode = (inferences: readonly SpentInference[]): Json | undefined => {
        const recorded = [...view.recorded, ...recordedInferences(place, inferences)];
        return recorded.length === 0 ? undefined : { recorded: recorded as unknown as Json };
      };
      const question = { kind: "activate", of: plugin.id, encode, decode: decodeInferences } as const;
      try {
        const inferences = await this.#workspace.effects.perform(question, async () => {
          const { env, limits } = services;
          const activated = plugin.onActivate?.(view);
          // Mostly there is nothing to wait for, and then nothing needs a limit.
          if (activated instanceof Promise) {
            await withTimeout(env.clock, signal, limits.hookTimeoutMs, async () => activated);
          }
          return takeInferences(this.#workspace, place);
        });
        countInferences(this.#workspace, inferences);
      } catch (error) {
        signal.throwIfAborted();
        const message = `Plugin ${plugin.id} could not be activated: ${describeThrown(error)}`;
        throw new RepriseError("PLUGIN_FAILED", message, { cause: error, details: { plugin: plugin.id } });
      }
      this.#active.push(plugin);
    }
  }

  /** The same in the middle of an activation, for another agent to take over. The run waits for it, so it is an effect. */
  async leave(): Promise<void> {
    if (this.#active.length === 0) return;
    const question = { kind: "activate", of: this.#keyOf("deactivation"), encode: () => undefined } as const;
    await this.#workspace.effects.perform(question, () => this.deactivate());
  }

  /** Tells them that it is over, in the opposite order. What fails here is only heard of. */
  async deactivate(): Promise<void> {
    const { services, run } = this.#workspace;
    for (const plugin of this.#active.splice(0).reverse()) {
      try {
        const { env, limits } = services;
        const done = plugin.onDeactivate?.(this.#view(plugin, "deactivation"));
        if (done instanceof Promise) await withTimeout(env.clock, NEVER, limits.hookTimeoutMs, async () => done);
      } catch (error) {
        const details = { plugin: plugin.id, run_id: run.run_id, problem: describeThrown(error) };
        services.env.log("error", "a plugin could not be deactivated", details);
      }
    }
  }

  #keyOf(moment: "activation" | "deactivation"): string {
    return `${activationKey(this.#workspace)}-${moment}`;
  }

  #view({ id }: Plugin, moment: "activation" | "deactivation"): PhaseView {
    const { document, now } = this.#workspace;
    const key = this.#keyOf(moment);
    const phase = moment === "activation" ? "run_start" : "run_end";
    return new PhaseView(this.#workspace, { phase, now, document, key }, id, undefined);
  }
}
