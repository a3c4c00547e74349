import { describe, expect, it } from "vitest";
import { indexOutOfBounds, invalidOperation, pathNotFound, StateError, typeMismatch } from "./state-error.ts";

describe("StateError", () => {
  it("names the place in its message", () => {
    expect(pathNotFound(["users", 0, "first name"]).message).toBe('Path not found: $.users[0]["first name"].');
    expect(indexOutOfBounds(["list"], 7, 3).message).toBe("Index 7 is out of bounds at $.list: the array has 3 items.");
    expect(typeMismatch([], "array", "null").message).toBe("Type mismatch at $: expected array, found null.");
  });

  it("takes a prefix when seen from further out", () => {
    const error = pathNotFound(["city"]).withPrefix(["address"]);
    expect(error.message).toBe("Path not found: $.address.city.");
    expect(error.path).toEqual(["address", "city"]);
    expect(error.code).toBe("PATH_NOT_FOUND");
  });

  it("gains a place from a prefix when it had none", () => {
    expect(invalidOperation("no").withPrefix(["a"]).message).toBe("Invalid operation: no (at $.a).");
  });

  it("keeps a dollar sign in a key as it is", () => {
    expect(pathNotFound(["$&"]).message).toBe('Path not found: $["$&"].');
  });

  it("is recognised by name, so that two copies of the package agree", () => {
    const foreign = Object.assign(new Error("x"), { name: "StateError", code: "PATH_NOT_FOUND" });
    expect(StateError.is(foreign)).toBe(true);
    expect(StateError.is(foreign, "PATH_NOT_FOUND")).toBe(true);
    expect(StateError.is(foreign, "TYPE_MISMATCH")).toBe(false);
    expect(StateError.is(new Error("x"))).toBe(false);
    expect(StateError.is(null)).toBe(false);
  });
});
