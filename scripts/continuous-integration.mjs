/**
 * Whether nobody is watching: then a test that was left out is a failure, not a remark.
 *
 * @param {Readonly<Record<string, string | undefined>>} env
 */
export function isContinuousIntegration(env) {
  return !["", "0", "false", undefined].includes(env.CI);
}
