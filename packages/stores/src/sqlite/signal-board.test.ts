import { expect, it, onTestFinished, vi } from "vitest";
import { Connection } from "./connection.ts";
import { SignalBoard } from "./signal-board.ts";
import { keepSignals } from "./signal-log.ts";

const POLL_MS = 100;
const OWN = 1;
const OTHER = 2;

it("tells what another process wrote after a look at it failed", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const connection = new Connection(":memory:");
  connection.exec("create table signals (number integer primary key, writer integer, signals text)");
  const board = new SignalBoard(connection, OWN, POLL_MS);
  const heard: string[] = [];
  onTestFinished(board.watch(({ thread_id }) => void heard.push(thread_id)));

  keepSignals(connection, [{ tenant: "t", thread_id: "one", kind: "work" }], OTHER);
  vi.spyOn(connection, "all").mockImplementationOnce(() => {
    throw new Error("database is locked");
  });
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(heard).toEqual([]);
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(heard).toEqual(["one"]);
});
