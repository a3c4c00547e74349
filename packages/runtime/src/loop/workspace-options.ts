import type { Claim, RunRecord } from "@reprise/contracts";
import type { EffectPort } from "../effects/port.ts";
import type { LoadedThread } from "../thread/loaded-thread.ts";
import type { ToolPools } from "../tools/pools/tool-pools.ts";
import type { Services } from "./services.ts";

/** What an activation works with. */
export interface WorkspaceOptions {
  readonly services: Services;
  readonly claim: Claim;
  readonly run: RunRecord;
  readonly thread: LoadedThread;
  /** Through it comes whatever the run learns from outside of its thread. */
  readonly effects: EffectPort;
  /** Throws when the claim may have run out: asked before anything that cannot be undone. */
  readonly assertHeld: () => void;
  /** Frees the run's slot while a call waits for runs below it; returns the way to take it back. */
  readonly lendSlot: () => () => void;
  readonly pools: ToolPools;
}
