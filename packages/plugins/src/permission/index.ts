export type { AlwaysRules, RuleOwner } from "./always-rules.ts";
export { rememberedRules } from "./always-rules.ts";
export type { PermissionOptions } from "./permission.ts";
export { permission, previewPermission } from "./permission.ts";
export type {
  PermissionGrants,
  PermissionGrantsActions,
  PermissionPolicy,
  PermissionPolicyActions,
  TimedRule,
} from "./permission-state.ts";
export { permissionGrants, permissionPolicy } from "./permission-state.ts";
export type { Behavior, KeptRule, PermissionRule } from "./rule.ts";
