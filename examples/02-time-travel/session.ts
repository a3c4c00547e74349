import { diff, type Op, parsePatch, type StateAction, StateError, StateManager, StateRegistry } from "reprise/state";
import { shoppingList } from "./shopping-list.ts";

const HELP = `  add <title>         add an item            history             every patch so far
  done <number>       tick an item off       goto <version>      the list as it was at a version
  remove <number>     take an item away      diff <from> <to>    the operations between two versions
  tag <word>          add a tag              rollback <version>  go back and forget what came after
  patch <json>        apply your own patch   quit                leave`;

const registry = new StateRegistry().register(shoppingList);
const manager = new StateManager({}, { lattices: registry });

/** Runs one command and returns what to print, or undefined to leave. Mistakes are answered, not fatal. */
export function execute(line: string): string | undefined {
  const [command = "", ...words] = line.trim().split(/\s+/);
  const rest = words.join(" ");
  try {
    switch (command) {
      case "":
        return "";
      case "add":
        return rest === "" ? "add what?" : commit(shoppingList.add(rest));
      case "done":
        return commit(shoppingList.done(itemNumber(rest)));
      case "remove":
        return commit(shoppingList.remove(itemNumber(rest)));
      case "tag":
        return rest === "" ? "tag with what?" : commit(shoppingList.tag(rest));
      case "patch":
        return commitOps(parsePatch(JSON.parse(rest)).ops, "you");
      case "history":
        return manager.history.map((patch, index) => `${index + 1}  ${describe(patch.ops)}`).join("\n");
      case "goto":
        return list(Number(rest));
      case "diff":
        return describe(diff(manager.replayTo(Number(words[0])), manager.replayTo(Number(words[1]))));
      case "rollback":
        return `forgot ${manager.rollback(Number(rest)).length} patches\n${list(manager.version)}`;
      case "quit":
        return undefined;
      default:
        return HELP;
    }
  } catch (error) {
    if (StateError.is(error) || error instanceof SyntaxError) return error.message;
    throw error;
  }
}

function itemNumber(text: string): number {
  const { items } = shoppingList.read(manager.state);
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= items.length) return number;
  throw new SyntaxError(`there is no item ${text || "without a number"}; the list has ${items.length}`);
}

function commit(action: StateAction): string {
  return commitOps(shoppingList.reduce(manager.state, action).ops, action.action);
}

function commitOps(ops: readonly Op[], source: string): string {
  manager.commit({ id: `patch-${manager.version + 1}`, source, ops });
  if (!Array.isArray(shoppingList.read(manager.state).items)) {
    manager.rollback(manager.version - 1);
    return "That patch would leave no list of items, so it was rolled back.";
  }
  return `${describe(ops)}\n${list(manager.version)}`;
}

function describe(ops: readonly Op[]): string {
  return ops.map((op) => JSON.stringify(op)).join("\n   ") || "nothing";
}

function list(version: number): string {
  const { items, tags } = shoppingList.read(manager.replayTo(version));
  const lines = items.map((item, index) => `  ${index + 1}. [${item.done ? "x" : " "}] ${item.title}`);
  return [`version ${version}${tags.length > 0 ? `, tags ${tags.join(" ")}` : ""}`, ...lines].join("\n");
}
