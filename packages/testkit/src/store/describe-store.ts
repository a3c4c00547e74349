import { describe } from "vitest";
import { createLawSuite, type Law } from "./law-suite.ts";
import { abilityLaws } from "./laws/ability-laws.ts";
import { atomicityLaws } from "./laws/atomicity-laws.ts";
import { busyPolicyLaws } from "./laws/busy-policy-laws.ts";
import { cancelLaws } from "./laws/cancel-laws.ts";
import { claimLaws } from "./laws/claim-laws.ts";
import { commitLaws } from "./laws/commit-laws.ts";
import { deadLetterLaws } from "./laws/dead-letter-laws.ts";
import { decisionLaws } from "./laws/decision-laws.ts";
import { digestLaws } from "./laws/digest-laws.ts";
import { documentExpiryLaws } from "./laws/document-expiry-laws.ts";
import { documentLaws } from "./laws/document-laws.ts";
import { documentNameLaws } from "./laws/document-name-laws.ts";
import { eventLaws } from "./laws/event-laws.ts";
import { handleLaws } from "./laws/handle-laws.ts";
import { historyRetentionLaws } from "./laws/history-retention-laws.ts";
import { hostileLaws } from "./laws/hostile-laws.ts";
import { instanceLaws } from "./laws/instance-laws.ts";
import { interruptLaws } from "./laws/interrupt-laws.ts";
import { mailboxLaws } from "./laws/mailbox-laws.ts";
import { messageLaws } from "./laws/message-laws.ts";
import { releaseLaws } from "./laws/release-laws.ts";
import { retentionLaws } from "./laws/retention-laws.ts";
import { rowlessRunLaws } from "./laws/rowless-run-laws.ts";
import { runLaws } from "./laws/run-laws.ts";
import { stateLaws } from "./laws/state-laws.ts";
import { submissionLaws } from "./laws/submission-laws.ts";
import { tenantLaws } from "./laws/tenant-laws.ts";
import { threadLaws } from "./laws/thread-laws.ts";
import { timeLimitLaws } from "./laws/time-limit-laws.ts";
import { watchLaws } from "./laws/watch-laws.ts";
import type { Deviation, OpenStore } from "./open-store.ts";

const FACETS: Readonly<Record<string, (law: Law) => void>> = {
  commits: commitLaws,
  digests: digestLaws,
  atomicity: atomicityLaws,
  messages: messageLaws,
  "runs and calls": runLaws,
  "runs without a row": rowlessRunLaws,
  events: eventLaws,
  "patches and snapshots": stateLaws,
  threads: threadLaws,
  mailbox: mailboxLaws,
  submissions: submissionLaws,
  "busy threads": busyPolicyLaws,
  interruptions: interruptLaws,
  decisions: decisionLaws,
  "questions with a time limit (issue 14.27)": timeLimitLaws,
  cancellation: cancelLaws,
  claims: claimLaws,
  abilities: abilityLaws,
  "the end of claims": releaseLaws,
  "dead letters": deadLetterLaws,
  instances: instanceLaws,
  "forgetting history": historyRetentionLaws,
  "forgetting entries and threads": retentionLaws,
  documents: documentLaws,
  "names and bodies of documents": documentNameLaws,
  "the end of documents": documentExpiryLaws,
  tenants: tenantLaws,
  "hostile input": hostileLaws,
  watching: watchLaws,
  "many handles": handleLaws,
};

/**
 * The laws every store keeps, as tests. `open` is called once a test and gives an empty store.
 * A law that a store cannot keep is declared with its reason, and the suite prints it.
 */
export function describeStore(
  name: string,
  open: OpenStore,
  { deviations = [] }: { readonly deviations?: readonly Deviation[] } = {},
): void {
  describe(`the ${name} store`, () => {
    const { law, closeList } = createLawSuite(open, deviations);
    for (const [facet, laws] of Object.entries(FACETS)) describe(facet, () => laws(law));
    closeList();
  });
}
