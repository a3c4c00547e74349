import { element } from "./elements.js";
import { askJson } from "./server.js";

/** @typedef {{ thread_id: string, title: string, updated_at: number, last_run: { agent_id: string, status: string } | null }} Summary */

/**
 * Shows the list of threads, newest first.
 *
 * @param {HTMLElement} list
 * @param {string | undefined} current
 * @param {(threadId: string) => void} open
 */
export async function showThreads(list, current, open) {
  /** @type {{ items: readonly Summary[] }} */
  const { items } = await askJson("v1/threads/summaries?limit=50");
  list.replaceChildren(...items.map((thread) => element("li", {}, describe(thread, current, open))));
}

/**
 * @param {Summary} thread
 * @param {string | undefined} current
 * @param {(threadId: string) => void} open
 */
function describe({ thread_id, title, updated_at, last_run }, current, open) {
  const isWaiting = last_run?.status === "waiting";
  const about = [last_run?.agent_id, isWaiting ? "needs approval" : formatTime(updated_at)].filter(
    (word) => word !== undefined,
  );
  const made = element(
    "button",
    { type: "button", class: "thread", "aria-current": String(thread_id === current) },
    element("span", { class: "thread-title" }, title || "Untitled"),
    element("span", { class: isWaiting ? "thread-about waiting" : "thread-about" }, about.join(" · ")),
  );
  made.addEventListener("click", () => open(thread_id));
  return made;
}

/** @param {number} time */
function formatTime(time) {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : date.toLocaleDateString();
}
