export type {
  ComposedDefinition,
  ParallelDefinition,
  Part,
  RefineDefinition,
  SequenceDefinition,
} from "@reprise/runtime";
export { parallel, refine, sequence } from "@reprise/runtime";
