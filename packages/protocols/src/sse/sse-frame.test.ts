import { expect, it } from "vitest";
import { encodeSseFrame } from "./sse-frame.ts";

it("writes data with its id", () => {
  expect(encodeSseFrame("{}", "run:1:2")).toBe("id: run:1:2\ndata: {}\n\n");
  expect(encodeSseFrame("{}")).toBe("data: {}\n\n");
});

it.each(["a\nb", "a\rb", "a\0b"])("leaves an id out that would break the frame", (cursor) => {
  expect(encodeSseFrame("{}", cursor)).toBe("data: {}\n\n");
});
