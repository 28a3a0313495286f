import type { Role } from '@quartermaster/service';

/**
 * Every role of the product, in the order in which `up` starts them: a role may rely on those before it. This is the one list: a role
 * that is in it has its own command, runs in `up` and shows in the console. None of them exists yet.
 */
export const roles: readonly Role[] = [];
