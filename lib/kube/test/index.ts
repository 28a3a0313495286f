export { type Connection, type ConnectionEnd, isAllowed, isInCidr, isLetIn } from './network-policies.ts';
