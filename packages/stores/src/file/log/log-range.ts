/** A part of a log. */
export interface LogRange {
  readonly offset: number;
  readonly length: number;
}
