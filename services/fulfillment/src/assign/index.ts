export { hostAssignmentsService } from './host-assignments-service.ts';
