import { type Documents, RepriseError } from "@reprise/contracts";
import type { Json } from "@reprise/state";

/** Counts the changes of a configuration, and marks a change in progress. */
export interface ConfigVersion {
  readonly number: number;
  readonly isBeingChanged: boolean;
}

const KIND = "config.version";
const ID = "current";

/** A change takes milliseconds: a process that takes this long is dead, and the next one takes over. */
const PRESUMED_DEAD_MS = 5_000;
const GIVE_UP_MS = 15_000;
const LOOK_AGAIN_MS = 20;

interface Body {
  readonly number: number;
  readonly writer: string | null;
}

/** The one small document that tells other processes whether they have to look. */
export async function loadVersion(documents: Documents): Promise<ConfigVersion> {
  const { number, writer } = read((await documents.loadDocument(KIND, ID))?.body);
  return { number, isBeingChanged: writer !== null };
}

/**
 * Makes a change under mutual exclusion over all processes: it was checked as a whole, and what it was checked against must not
 * change meanwhile. Answers with the number of the configuration afterwards.
 */
export async function takeTurn(documents: Documents, change: () => Promise<void>): Promise<number> {
  const turn = await begin(documents);
  let { number } = turn;
  try {
    await change();
    number += 1;
    return number;
  } finally {
    // When the turn is no longer ours, another process took us for dead and counts for us.
    await documents.saveDocument({ kind: KIND, id: ID, body: bodyOf({ number, writer: null }) }, turn.revision);
  }
}

interface Turn {
  readonly number: number;
  readonly revision: number;
}

async function begin(documents: Documents): Promise<Turn> {
  const writer = crypto.randomUUID();
  const beganAt = performance.now();
  let seen = { revision: -1, since: beganAt };
  for (;;) {
    const document = await documents.loadDocument(KIND, ID);
    const { revision = 0, body } = document ?? {};
    const held = read(body);
    const now = performance.now();
    if (seen.revision !== revision) seen = { revision, since: now };
    const isLeftBehind = held.writer !== null && now - seen.since >= PRESUMED_DEAD_MS;
    if (held.writer === null || isLeftBehind) {
      // A process that died may have stored a change without announcing it.
      const number = held.number + (isLeftBehind ? 1 : 0);
      const next = { kind: KIND, id: ID, body: bodyOf({ number, writer }) };
      const saved = await documents.saveDocument(next, revision);
      if (saved.saved) return { number, revision: saved.document.revision };
      continue;
    }
    if (now - beganAt >= GIVE_UP_MS) {
      throw new RepriseError("STORE_OWNED", "Others keep changing the configuration. Try again.");
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

function bodyOf({ number, writer }: Body): Json {
  return { number, writer };
}

function read(body: Json | undefined): Body {
  // Written here alone.
  return (body as unknown as Body | undefined) ?? { number: 0, writer: null };
}
