// The way in for every npm script, also in a fresh clone: installs what is missing, then goes on under the pinned Node.
//
// This file must load on any Node that knows modules, so that an old one gets a sentence instead of a syntax error:
// nothing newer than a dynamic import belongs here.

const OLDEST_MAJOR = 20;
const found = process.versions.node;

if (Number(found.split(".")[0]) < OLDEST_MAJOR) {
  console.error(`Reprise needs Node ${OLDEST_MAJOR} or newer to set itself up; this is Node ${found}.`);
  process.exitCode = 1;
} else {
  import("./bootstrap/run-task.mjs")
    .then(({ runTask }) => runTask(process.argv.slice(2)))
    .then((code) => {
      process.exitCode = code;
    })
    .catch((error) => {
      console.error(error);
      process.exitCode = 1;
    });
}
