import { type Abilities, type Presence, RepriseError } from "@reprise/contracts";
import type { Services } from "../loop/services.ts";

/** Keeps this process among the workers of its store: others leave it what it can do best, and take over when it falls silent. */
export class PresenceKeeper {
  readonly #services: Services;
  readonly #isLasting: boolean;
  #presence: Presence | undefined;
  #announcing: Promise<void> | undefined;
  /** By our own clock, which never goes back. */
  #announcedAt = Number.NEGATIVE_INFINITY;
  #isReplaced = false;
  #isWithdrawn = false;

  /** `isLasting`: the name of this process is the same over restarts. */
  constructor(services: Services, isLasting: boolean) {
    this.#services = services;
    this.#isLasting = isLasting;
  }

  /** Whether another process has taken our name while we were silent. */
  get isReplaced(): boolean {
    return this.#isReplaced;
  }

  /** `STORE_OWNED` while another process has our name. A store that is away is entered when it is back. */
  async enter(): Promise<void> {
    const { env } = this.#services;
    try {
      await this.announce();
    } catch (error) {
      if (!RepriseError.is(error, "STORE_UNAVAILABLE")) throw error;
      env.log("warn", "the store is away; work is taken when it is back", { problem: error.message });
    }
  }

  /** Whether this process may take work. After a pause it asks again: another process may have taken its place. */
  async mayWork(): Promise<boolean> {
    const { env, limits } = this.#services;
    if (env.clock.mono() - this.#announcedAt >= limits.leaseMs - limits.renewEveryMs) await this.announce();
    return !this.#isReplaced && !this.#isWithdrawn;
  }

  /** Says what we can run, and that we are alive. One after the other, so that the last word is the last one heard. */
  async announce(): Promise<void> {
    const before = this.#announcing;
    const announcing = (async () => {
      await before?.catch(() => undefined);
      await this.#announce();
    })();
    this.#announcing = announcing;
    await announcing;
  }

  async #announce(): Promise<void> {
    if (this.#isReplaced) return;
    const { env, agents } = this.#services;
    const askedAt = env.clock.mono();
    const abilities: Abilities = this.#isWithdrawn ? {} : agents.abilities();
    this.#presence ??= await this.#enter();
    if (await this.#presence.announce(abilities)) {
      this.#announcedAt = askedAt;
      return;
    }
    this.#isReplaced = true;
    const problem =
      "Another process works under this instance id, because this one was silent for longer than its lease. Restart it.";
    env.log("error", "this process was replaced and takes no more work", { owner: this.#services.owner, problem });
  }

  /** Lets others have what we could do; what we have stays ours. */
  async withdraw(): Promise<void> {
    this.#isWithdrawn = true;
    if (this.#presence !== undefined) await this.announce();
  }

  async leave(): Promise<void> {
    await this.#presence?.leave();
  }

  #enter(): Promise<Presence> {
    const { store, owner, limits } = this.#services;
    return store.operator.enter({ owner, is_lasting: this.#isLasting, lease_ms: limits.leaseMs });
  }
}
