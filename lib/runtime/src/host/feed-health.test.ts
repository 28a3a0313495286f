import type { FeedHolder, FeedLag } from '@quartermaster/store';
import { describe, expect, it } from 'vitest';
import { feedHealth, lateMs } from './feed-health.ts';

const unseen: FeedHolder = {
  pid: undefined,
  preparedAs: undefined,
  user: undefined,
  application: undefined,
  database: undefined,
  state: undefined,
  openMs: undefined,
};
const session: FeedHolder = {
  ...unseen,
  pid: 4711,
  user: 'ann',
  application: 'psql',
  database: 'other',
  state: 'idle in transaction',
  openMs: 130_000,
};

const lagOf = (behindMs: number, holder?: FeedHolder): FeedLag => ({ behindMs, holder, bytes: 0 });

describe('the health of the change feed', () => {
  it('is good while it is not late, and while nobody knows', () => {
    for (const lag of [undefined, lagOf(0), lagOf(lateMs - 1, session)]) expect(feedHealth(lag)).toEqual({ state: 'ok' });
  });

  it('names the transaction that holds it back, and how to end it', () => {
    expect(feedHealth(lagOf(125_000, session))).toEqual({
      state: 'degraded',
      reason:
        'watches have not been told of changes for 2m5s: they wait for a transaction to end, that of session 4711 (user ann, application psql, database other, idle in transaction, open for 2m10s): end it there, or with pg_terminate_backend(4711)',
    });
    expect(feedHealth(lagOf(lateMs, { ...unseen, preparedAs: 'x', user: 'ann' })).reason).toContain('prepared transaction "x" (user ann)');
    expect(feedHealth(lagOf(lateMs, unseen)).reason).toContain('pg_prepared_xacts');
  });

  it('tells it from a feed that is merely slow', () => {
    expect(feedHealth(lagOf(lateMs)).reason).toContain('load of the database');
  });
});
