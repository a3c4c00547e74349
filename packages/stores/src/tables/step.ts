/** A change of the tables that can be taken back and made again, as long as what it touches is as it left it. */
export interface Step {
  forward(): void;
  backward(): void;
}

/** Takes steps back, the last first. */
export function undo(steps: readonly Step[]): void {
  for (const step of steps.toReversed()) step.backward();
}

export function redo(steps: readonly Step[]): void {
  for (const step of steps) step.forward();
}
