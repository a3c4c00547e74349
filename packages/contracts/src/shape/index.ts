export { findNearest } from "./find-nearest.ts";
export type { ObjectShape } from "./object-shape.ts";
export { named, needed, objectOf, openObjectOf, optional, unionOf, unknownField, withOneOf } from "./object-shape.ts";
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
  unchecked,
  wholeNumber,
  wholeNumberFrom,
} from "./shape.ts";
export type { ShapePath, ShapeProblem } from "./shape-problem.ts";
export { describeProblem, describeType } from "./shape-problem.ts";
export { camelCase, toAuthorWords, toStoredKeys, toStoredNames } from "./stored-names.ts";
