export { findNearest } from "./find-nearest.ts";
export { needed, objectOf, optional, unionOf, unknownField, withOneOf } from "./object-shape.ts";
export type { Shape } from "./shape.ts";
export {
  flag,
  isPlainObject,
  json,
  listOf,
  narrowed,
  nonEmptyText,
  numberFrom,
  oneOf,
  otherType,
  recordOf,
  secret,
  text,
  textLike,
  textOr,
  wholeNumberFrom,
} from "./shape.ts";
export type { ShapePath, ShapeProblem } from "./shape-problem.ts";
export { describeType } from "./shape-problem.ts";
