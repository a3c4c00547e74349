import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import type { FaultPlan } from "../nemesis/nemesis.ts";
import { plantNamed } from "../plants/table.ts";
import { CLIENTS, type Clients, DEFAULT_ROUND } from "../round/round-options.ts";
import { isStoreName, STORE_NAMES, type StoreName } from "../stores/store-address.ts";
import { UsageError } from "./usage-error.ts";

/** What one call of the rig does. */
export interface SessionOptions {
  readonly store: StoreName;
  readonly seed: string;
  /** Kills at random moments, over all rounds. */
  readonly kills: number;
  /** How many of them a round has: each round has a fresh store and is checked by itself. */
  readonly killsPerRound: number;
  /** Other faults, over all rounds. */
  readonly faults: FaultPlan;
  readonly visitsPoints: boolean;
  readonly workers: number;
  readonly threads: number;
  readonly clients: Clients;
  readonly trees: boolean;
  readonly workflows: boolean;
  readonly skewMs: number;
  readonly verifies: boolean;
  readonly leaseMs: number;
  readonly renewEveryMs: number;
  readonly keepsInstanceId: boolean;
  readonly isWarm: boolean;
  readonly restWithinMs: number;
  readonly plant?: string;
}

export const USAGE = `npm run chaos -- [options]
  --store <name>        ${STORE_NAMES.join(", ")}; sqlite unless said otherwise
  --kills <n>           kills at random moments (25)
  --seed <text>         repeats the choices of an earlier session; printed
  --points              have a worker die at every fault point, too
  --faults <list>       other faults, as in "hold=10,database restart=5"; an unknown one lists those there are
  --clients <way>       how clients reach the workers: ${CLIENTS.join(", ")} (${DEFAULT_ROUND.clients})
  --trees               agents have other agents work for them, and ask their models over HTTP
  --workflows           runs are workflows with branches, tools, gates, sleeps, retries and fan-outs
  --skew <ms>           the most by which a process's clock is wrong, ahead or behind: up to 60000, on a store with its own clock (0)
  --no-verify           do not replay every run that is over
  --workers <n>         processes on one store (1)
  --threads <n>         threads talked to at the same time (${DEFAULT_ROUND.threads})
  --kills-per-round <n> each round has a fresh store, at most so many faults, and is checked by itself (25)
  --lease <ms>          the length of a lease (${DEFAULT_ROUND.leaseMs})
  --renew <ms>          how often it is renewed (${DEFAULT_ROUND.renewEveryMs})
  --new-instance        workers come back under a new name: what they left waits for its lease
  --cold                a worker's process is started after the kill, not before
  --plant <name>        a bug to find: see e2e/chaos/plants`;

/** Reads a command line; throws a sentence when it cannot be read. */
export function readSessionOptions(parameters: readonly string[]): SessionOptions {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      store: { type: "string", default: "sqlite" },
      kills: { type: "string", default: "25" },
      seed: { type: "string", default: String(randomInt(2 ** 31)) },
      points: { type: "boolean", default: false },
      faults: { type: "string", default: "" },
      workers: { type: "string", default: String(DEFAULT_ROUND.workers) },
      threads: { type: "string", default: String(DEFAULT_ROUND.threads) },
      clients: { type: "string", default: DEFAULT_ROUND.clients },
      trees: { type: "boolean", default: false },
      workflows: { type: "boolean", default: false },
      skew: { type: "string", default: "0" },
      "no-verify": { type: "boolean", default: false },
      "kills-per-round": { type: "string", default: "25" },
      lease: { type: "string", default: String(DEFAULT_ROUND.leaseMs) },
      renew: { type: "string", default: String(DEFAULT_ROUND.renewEveryMs) },
      "new-instance": { type: "boolean", default: false },
      cold: { type: "boolean", default: false },
      plant: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) throw new UsageError("What can be asked for:");
  if (!isStoreName(values.store))
    throw new UsageError(`There is no store "${values.store}": ${STORE_NAMES.join(", ")}.`);
  plantNamed(values.plant);
  if (values.trees && values.workflows) throw new UsageError("A session has --trees or --workflows, not both.");
  const clients = CLIENTS.find((way) => way === values.clients);
  if (clients === undefined)
    throw new UsageError(`--clients must be one of ${CLIENTS.join(", ")} (got "${values.clients}").`);
  return {
    store: values.store,
    seed: values.seed,
    kills: readCount("kills", values.kills),
    killsPerRound: Math.max(readCount("kills-per-round", values["kills-per-round"]), 1),
    faults: readFaults(values.faults),
    visitsPoints: values.points,
    workers: Math.max(readCount("workers", values.workers), 1),
    threads: Math.max(readCount("threads", values.threads), 1),
    clients,
    trees: values.trees,
    workflows: values.workflows,
    skewMs: readCount("skew", values.skew),
    verifies: !values["no-verify"],
    leaseMs: readCount("lease", values.lease),
    renewEveryMs: readCount("renew", values.renew),
    keepsInstanceId: !values["new-instance"],
    isWarm: !values.cold,
    restWithinMs: DEFAULT_ROUND.restWithinMs,
    ...(values.plant !== undefined && { plant: values.plant }),
  };
}

function readCount(name: string, text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0) throw new UsageError(`--${name} is a whole number, not "${text}".`);
  return count;
}

function readFaults(text: string): FaultPlan {
  const parts = text.split(",").filter((part) => part.trim() !== "");
  return Object.fromEntries(
    parts.map((part) => {
      const [name = "", count = "1"] = part.split("=");
      return [name.trim(), readCount("faults", count)];
    }),
  );
}
