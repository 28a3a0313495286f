import type { Health } from '@quartermaster/service';

/** Why each check that is not passed is not. */
export const reasonsOf = ({ checks }: Awaited<ReturnType<Health['report']>>): readonly string[] =>
  checks.filter(({ state }) => state !== 'ok').map(({ name, reason }) => `${name}: ${reason}`);
