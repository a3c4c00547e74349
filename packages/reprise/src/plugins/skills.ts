export type {
  ActiveSkill,
  ActiveSkills,
  DiscoveredSkills,
  ScriptOptions,
  Skill,
  SkillDefinition,
  SkillPlaces,
  SkillProblem,
  SkillsOptions,
} from "@reprise/plugins/skills";
export { activeSkills, discoverSkills, skills } from "@reprise/plugins/skills";
