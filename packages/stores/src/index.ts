export type { StoredText } from "./codec/stored-text.ts";
export type { CallKey, History, QueueRows, ThreadDemand, ThreadRows } from "./kernel/demand.ts";
export { demandOf, planOf } from "./kernel/operations.ts";
export type { Plan } from "./kernel/plan.ts";
export type {
  ClaimAnswer,
  SubmitAnswer,
  ThreadAnswers,
  ThreadOperation,
  ThreadRequest,
  ThreadRequests,
} from "./kernel/request.ts";
export type { CallRow, DecisionRow, EntryRow, HeldClaim, RunRow, ThreadRow, WorkHint } from "./kernel/rows.ts";
export type { CommitPart, SealedChangeset, SealedSegment } from "./kernel/sealed-changeset.ts";
export type { CommitWrite, Write } from "./kernel/write.ts";
export { createDurableStore } from "./shell/create-durable-store.ts";
export type { StoreDriver } from "./shell/driver.ts";
export type { RowReader } from "./shell/row-reader.ts";
