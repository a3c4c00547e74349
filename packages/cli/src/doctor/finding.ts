/** One thing the doctor looked at. */
export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warn" | "fail";
  readonly message: string;
  /** What to do about it. */
  readonly remedy?: string;
}

export const ok = (check: string, message: string): Finding => ({ check, status: "ok", message });
export const warn = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: "warn",
  message,
  remedy,
});
export const fail = (check: string, message: string, remedy?: string): Finding => ({
  check,
  status: "fail",
  message,
  ...(remedy !== undefined && { remedy }),
});
