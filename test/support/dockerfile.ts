/** One instruction of a Dockerfile. */
export interface Instruction {
  readonly name: string;
  readonly words: readonly string[];
}

/** One image of a Dockerfile: what it is made from, and its instructions. */
export interface Stage {
  readonly from: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** Reads the stages of a Dockerfile whose instructions are a line each. */
export function readDockerfile(text: string): readonly Stage[] {
  const stages: { from: string; name: string | undefined; instructions: Instruction[] }[] = [];
  for (const line of text.split("\n").filter((each) => each.trim() !== "" && !each.startsWith("#"))) {
    const [name = "", ...rest] = line.split(" ");
    if (name === "FROM") {
      const [from = "", as, stage] = rest;
      stages.push({ from, name: as?.toUpperCase() === "AS" ? stage : undefined, instructions: [] });
    } else stages.at(-1)?.instructions.push({ name, words: wordsOf(rest.join(" ")) });
  }
  return stages;
}

/** The words of the list that an instruction may end in, else those with spaces between. */
function wordsOf(text: string): readonly string[] {
  const at = text.indexOf("[");
  if (at === -1) return text.split(" ");
  const before = text.slice(0, at).trim();
  return [...(before === "" ? [] : before.split(" ")), ...JSON.parse(text.slice(at))];
}

/** The words of the only instruction of a name; of one that is there more than once, an error. */
export function wordsOfOnly({ instructions }: Stage, name: string): readonly string[] {
  const [found, ...more] = instructions.filter((each) => each.name === name);
  if (found === undefined || more.length > 0) throw new Error(`There must be exactly one ${name}.`);
  return found.words;
}

/** The variables that an image sets. */
export function variablesOf({ instructions }: Stage): Readonly<Record<string, string>> {
  const set = instructions.filter(({ name }) => name === "ENV").flatMap(({ words }) => words);
  return Object.fromEntries(set.map((each) => each.split("=") as [string, string]));
}
