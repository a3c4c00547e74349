/** The ids under which the runtime itself asks, where a tool's id would stand (`isOwnQuestion`). */
export const BUDGET_CALL = "reprise/budget";
export const REVIEW_CALL = "reprise/review";
export const BACKEND_CALL = "reprise/backend";
export const STEP_CALL = "reprise/step";
export const PROGRAM_CALL = "reprise/program";
