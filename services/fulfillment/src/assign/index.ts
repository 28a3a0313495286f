export type { AssignOptions } from './assign-options.ts';
export { hostAssignmentsService } from './host-assignments-service.ts';
