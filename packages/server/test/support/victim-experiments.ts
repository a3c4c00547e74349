/** The ids of experiments of the tenant `owner`: one to be looked at, and one to be deleted. */
export const VICTIM_EXPERIMENTS = ["experiment-to-read", "experiment-to-delete"] as const;
