export type { ActiveSkill, ActiveSkills } from "./active-skills.ts";
export { activeSkills } from "./active-skills.ts";
export type { DiscoveredSkills, SkillPlaces } from "./discover-skills.ts";
export { discoverSkills } from "./discover-skills.ts";
export type { ScriptOptions } from "./run-script.ts";
export type { Skill, SkillDefinition, SkillProblem } from "./skill.ts";
export type { SkillsOptions } from "./skills.ts";
export { skills } from "./skills.ts";
