import type { RefusedWrite } from '@quartermaster/auth';
import { FakeClock, StatusError, silentLog } from '@quartermaster/kernel';
import type { Queryable } from '@quartermaster/store';
import { describe, expect, it, vi } from 'vitest';
import { AuditLog } from './audit-log.ts';

const patience = { timeout: 20_000, interval: 1 };

/** A database that answers when the test says so, and keeps the names of those whose refusals it was given. */
class HeldDatabase implements Queryable {
  readonly written: string[][] = [];
  readonly #waiting: (() => void)[] = [];
  asked = 0;
  isAway = false;

  async query<R extends object>(_statement: unknown, [rows]: readonly unknown[] = []): Promise<readonly R[]> {
    this.asked += 1;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.isAway) throw new StatusError('unavailable', 'the database cannot be reached');
    this.written.push((JSON.parse(String(rows)) as { actor: string }[]).map(({ actor }) => actor));
    return [];
  }

  /** Lets the statement that waits go on. */
  async answer(): Promise<void> {
    await vi.waitUntil(() => this.#waiting.length === 1, patience);
    this.#waiting.shift()?.();
  }
}

function refusedWrite(name: string): RefusedWrite {
  const principal = {
    name,
    role: 'tenant',
    visibleTenants: [],
    assignableTenants: [],
    defaultTenants: [],
    mayReadSecrets: false,
  } as const;
  return { principal, method: '/private.v1.Hosts/Create', peer: '192.0.2.1:5' };
}

describe('refused writes', () => {
  it('go together when they come while others are being written', async () => {
    const database = new HeldDatabase();
    const log = auditLog(database);
    for (const name of ['ann', 'bob', 'cid']) log.recordRefusal(refusedWrite(name));
    await database.answer();
    await database.answer();
    await log.stop();
    expect(database.written).toEqual([['ann'], ['bob', 'cid']]);
  });

  it('that came while the database was away for others are written when it is back', async () => {
    const database = new HeldDatabase();
    const log = auditLog(database);
    database.isAway = true;
    for (const name of ['ann', 'bob']) log.recordRefusal(refusedWrite(name));
    await database.answer();
    await vi.waitUntil(() => database.asked === 2, patience);
    database.isAway = false;
    await database.answer();
    await log.stop();
    expect(database.written).toEqual([['bob']]);
  });
});

function auditLog(database: Queryable): AuditLog {
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `id-${ids}`;
  };
  return new AuditLog({ database, retentionMs: 1_000, newId, clock: new FakeClock(0), log: silentLog });
}
