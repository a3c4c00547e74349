/** Why nothing was created, in words for the person who asked. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
