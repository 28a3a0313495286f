export type { ManagedWrite } from './api.ts';
export { applyJsonPatch } from './json-patch.ts';
export { applyMergePatch } from './merge-patch.ts';
export { ownableFields } from './ownable-fields.ts';
export { recordUpdate } from './record-update.ts';
export { serverSideApply } from './server-side-apply.ts';
export { applyStrategicMergePatch } from './strategic-merge-patch.ts';
