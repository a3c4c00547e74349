export type { FactEncoder } from "./create-encoder.ts";
export { createFactEncoder } from "./create-encoder.ts";
export type { Fact } from "./encode-fact.ts";
export { encodeFactEvent } from "./encode-fact.ts";
export type { FactState, KnownCall } from "./encoder-state.ts";
export { INITIAL_FACT_STATE } from "./encoder-state.ts";
export { FACTS_VERSION, factSchema } from "./fact-schema.ts";
export type { FactField, FactId, FactShape, FactType } from "./fact-types.ts";
export { FACT_TYPES, FACTS } from "./fact-types.ts";
