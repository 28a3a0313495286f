/** The role alone, without what it is made of. */
export { marketRole } from './market-role.ts';
