export type {
  Fact,
  FactEncoder,
  FactField,
  FactId,
  FactShape,
  FactState,
  FactType,
  KnownCall,
} from "@reprise/protocols/facts";
export {
  createFactEncoder,
  encodeFactEvent,
  FACT_TYPES,
  FACTS,
  FACTS_VERSION,
  factSchema,
  INITIAL_FACT_STATE,
} from "@reprise/protocols/facts";
