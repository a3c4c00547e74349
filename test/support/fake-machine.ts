import type { Machine } from "../../scripts/services/machine.mjs";

/** A machine on paper: its programs with what they print, and what apt-get would bring. */
export interface FakeMachine extends Machine {
  /** The commands that were run, apart from questions for a version. */
  readonly commands: readonly string[];
}

/** Describes a Debian machine where everything is where it is said to be and nothing else exists. */
export function createFakeMachine(description: {
  readonly programs?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly userId?: number;
  readonly isDebian?: boolean;
  /** Programs that `apt-get install` adds; a text instead is its error. */
  readonly installs?: Readonly<Record<string, string>> | string;
}): FakeMachine {
  const { isDebian = true, userId = 0, installs = {} } = description;
  const programs = new Map(Object.entries({ "/usr/bin/apt-get": "", ...description.programs }));
  const commands: string[] = [];
  return {
    commands,
    env: { PATH: "/usr/bin", ...description.env },
    userId,
    exists: (path) => path === "/etc/debian_version" && isDebian,
    isProgram: (path) => programs.has(path),
    list: (folder) =>
      [...programs.keys()]
        .filter((path) => path.startsWith(folder))
        .map((path) => path.slice(folder.length).split("/")[0] ?? ""),
    run(program, programArguments, env) {
      if (programArguments[0] === "--version") {
        const output = programs.get(program) ?? "";
        return { succeeded: output !== "", output };
      }
      commands.push(
        [...Object.entries(env ?? {}).map((pair) => pair.join("=")), program, ...programArguments].join(" "),
      );
      if (programArguments[0] !== "install") return { succeeded: true, output: "" };
      if (typeof installs === "string") return { succeeded: false, output: installs };
      for (const [path, output] of Object.entries(installs)) programs.set(path, output);
      return { succeeded: true, output: "" };
    },
  };
}
