import type { DeclaredRole } from '@quartermaster/runtime';
import { roles } from './roles.ts';

/** Whether a role takes the local tokens of its installation. */
export const takesTokens = ({ config, declaration }: DeclaredRole): boolean =>
  config.keys.some(({ name }) => name === `${declaration.prefix}-local-key-file`);

/** Whom a local token is for: every role of the installation that takes such tokens, where they share the key. */
export const tokenServices: readonly string[] = roles.filter(takesTokens).map(({ declaration }) => declaration.prefix);
