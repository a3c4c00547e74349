export type { Script, ScriptedModel, ScriptStep, ScriptTurn } from "./scripted/scripted-model.ts";
export { scriptedModel } from "./scripted/scripted-model.ts";
