export { type RunningRole, type StartRoleOptions, startRole } from './start-role.ts';
export { installStepKiller, stepVariable } from './step-killer.ts';
