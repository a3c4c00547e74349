import type { Claim, RunRecord } from "@reprise/contracts";
import type { Witness } from "../replay/witness.ts";
import type { Services } from "../services.ts";
import type { LoadedThread } from "../thread/loaded-thread.ts";
import type { ToolPools } from "../tools/pools/tool-pools.ts";
import type { MailFlag } from "./mail-flag.ts";

/** What an activation works with. */
export interface WorkspaceOptions {
  readonly services: Services;
  readonly claim: Claim;
  readonly run: RunRecord;
  readonly thread: LoadedThread;
  readonly signal: AbortSignal;
  readonly lost: AbortSignal;
  /** Throws when the claim may have run out: asked before anything that cannot be undone. */
  readonly assertHeld: () => void;
  /** Tells when something came for the run while it is worked on. */
  readonly mail: MailFlag;
  /** Frees the run's place while a call waits for runs below it; returns the way to take it back. */
  readonly lendPlace: () => () => void;
  readonly pools: ToolPools;
  /** The world, unless it is given. */
  readonly witness?: Witness;
}
