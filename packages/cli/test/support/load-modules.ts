import { loadModule } from "../../src/module/load-module.ts";
import { toFailure } from "../../src/output/to-failure.ts";

// Loads the modules that its arguments name, one after the other, and prints why each cannot be used.
for (const path of process.argv.slice(2)) {
  try {
    await loadModule(path);
    console.log(JSON.stringify({}));
  } catch (error) {
    const { message, problems, remedy, exitCode } = toFailure(error);
    console.log(JSON.stringify({ message, problems, remedy, exitCode }));
  }
}
