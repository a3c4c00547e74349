// Says so when Node is too old: this module needs one that has SQLite.
import "@reprise/state";
import type * as Sqlite from "node:sqlite";

// Not imported by name: a Node without SQLite would refuse to load whatever imports it, and give no reason that helps.
const sqlite: typeof Sqlite = process.getBuiltinModule("node:sqlite");

export const DatabaseSync: typeof Sqlite.DatabaseSync = sqlite.DatabaseSync;
export const backup: typeof Sqlite.backup = sqlite.backup;
