import { describeThrown, type Plugin, RepriseError } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { NEVER, withTimeout } from "../effects/with-timeout.ts";
import type { Host, StateAccess } from "../run/ports.ts";
import { type ObservedRun, PhaseView } from "./phase-view.ts";

type ActivatedRun = ObservedRun & Pick<StateAccess, "document"> & Host;

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
      // A function, since what it records is known afterwards; records are JSON, which their interface hides.
      const encode = (): Json | undefined =>
        view.recorded.length === 0 ? undefined : { recorded: view.recorded as unknown as Json };
      try {
        await this.#workspace.effects.perform({ kind: "activate", of: plugin.id, encode }, () =>
          withTimeout(services.env.clock, signal, services.limits.hookTimeoutMs, async () => plugin.onActivate?.(view)),
        );
      } catch (error) {
        signal.throwIfAborted();
        const message = `Plugin ${plugin.id} could not be activated: ${describeThrown(error)}`;
        throw new RepriseError("PLUGIN_FAILED", message, { cause: error, details: { plugin: plugin.id } });
      }
      this.#active.push(plugin);
    }
  }

  /** Tells them that it is over, in the opposite order. The run has ended by then: what fails here is only heard of. */
  async deactivate(): Promise<void> {
    const { services, run } = this.#workspace;
    for (const plugin of this.#active.splice(0).reverse()) {
      try {
        await withTimeout(services.env.clock, NEVER, services.limits.hookTimeoutMs, async () =>
          plugin.onDeactivate?.(this.#view(plugin, "deactivation")),
        );
      } catch (error) {
        const details = { plugin: plugin.id, run_id: run.run_id, problem: describeThrown(error) };
        services.env.log("error", "a plugin could not be deactivated", details);
      }
    }
  }

  #keyOf(moment: "activation" | "deactivation"): string {
    const { run, claim } = this.#workspace;
    return `${run.run_id}-e${claim.epoch}-${moment}`;
  }

  #view({ id }: Plugin, moment: "activation" | "deactivation"): PhaseView {
    const { document, now } = this.#workspace;
    const key = this.#keyOf(moment);
    const phase = moment === "activation" ? "run_start" : "run_end";
    return new PhaseView(this.#workspace, { phase, now, document, key }, id, undefined);
  }
}
