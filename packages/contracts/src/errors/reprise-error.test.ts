import { StateError } from "@reprise/state";
import { expect, it } from "vitest";
import { ERRORS, notFound, RepriseError, toRepriseError } from "../index.ts";

it("carries what its code means", () => {
  const error = new RepriseError("STORE_UNAVAILABLE", "The store is away.");
  expect([error.httpStatus, error.isRetryable]).toEqual([503, true]);
});

it("is recognised by name and code", () => {
  const foreign = Object.assign(new Error("x"), { name: "RepriseError", code: "STALE_EPOCH" });
  expect(RepriseError.is(foreign, "STALE_EPOCH")).toBe(true);
  expect(RepriseError.is(foreign, "INTERNAL")).toBe(false);
  expect(RepriseError.is(new Error("x"))).toBe(false);
});

it("takes foreign errors in with their cause", () => {
  const cause = new TypeError("boom");
  expect(toRepriseError(cause)).toMatchObject({ code: "INTERNAL", message: "boom", cause });
  expect(toRepriseError("text")).toMatchObject({ code: "INTERNAL", message: "text" });
  const own = new RepriseError("THREAD_BUSY", "busy");
  expect(toRepriseError(own)).toBe(own);
  let state: unknown;
  try {
    throw new StateError({ code: "PATH_NOT_FOUND", template: "Path not found: {at}.", path: ["a"] });
  } catch (error) {
    state = error;
  }
  expect(toRepriseError(state)).toMatchObject({ code: "INVALID_REQUEST", details: { state_error: "PATH_NOT_FOUND" } });
});

it("names what is there when something is not", () => {
  expect(notFound("AGENT_NOT_FOUND", "agent", "x", ["a", "b"]).message).toBe('There is no agent "x". Known: a, b.');
});

it("has a status and a reason for every code", () => {
  for (const entry of Object.values(ERRORS)) {
    expect(entry.httpStatus).toBeGreaterThanOrEqual(400);
    expect(entry.when).toMatch(/\.$/);
  }
});
