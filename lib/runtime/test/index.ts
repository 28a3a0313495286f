export { type RunningRole, type StartRoleOptions, startRole } from './start-role.ts';
