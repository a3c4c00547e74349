export type {
  AlwaysRules,
  Behavior,
  KeptRule,
  PermissionGrants,
  PermissionGrantsActions,
  PermissionOptions,
  PermissionPolicy,
  PermissionPolicyActions,
  PermissionRule,
  RuleOwner,
  TimedRule,
} from "@reprise/plugins/permission";
export {
  permission,
  permissionGrants,
  permissionPolicy,
  previewPermission,
  rememberedRules,
} from "@reprise/plugins/permission";
