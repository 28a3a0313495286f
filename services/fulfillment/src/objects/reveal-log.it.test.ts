import { createUuidV7, FakeClock, silentLog, systemClock, systemRandom } from '@quartermaster/kernel';
import { AuditLog, RevealLog } from '@quartermaster/objects';
import type { Database } from '@quartermaster/store';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestDatabases, type TestDatabases } from '../../test/test-database.ts';

const hourMs = 3_600_000;
const newId = createUuidV7({ clock: systemClock, random: systemRandom });

let databases: TestDatabases;
let database: Database;
let asked: number;
let clock: FakeClock;
let replicas: readonly RevealLog[];

beforeAll(async () => {
  databases = await startTestDatabases();
});

afterAll(async () => {
  await databases.stop();
});

beforeEach(async () => {
  database = await databases.open();
  startReplicas();
});

function startReplicas(): void {
  asked = 0;
  clock = new FakeClock();
  const counted = {
    query: <R extends object>(...args: Parameters<Database['query']>): Promise<readonly R[]> => {
      asked += 1;
      return database.query<R>(...args);
    },
  };
  replicas = [0, 1, 2].map(() => new RevealLog({ database: counted, newId, clock }));
}

interface Opening {
  readonly replica: number;
  readonly actor: string;
  readonly id: string;
  readonly role?: string;
  readonly createdAt?: bigint;
}

async function open({ replica, actor, id, role = 'admin', createdAt = 1n }: Opening): Promise<void> {
  const origin = { actor, role, peer: '192.0.2.1:5', method: '/private.v1.Hosts/Get', requestId: 'r' };
  await replicas[replica]?.record(origin, { kind: 'hosts', id, name: `name of ${id}`, createdAt: { seconds: createdAt, nanos: 0 } });
}

/** For the database and for the processes. */
async function pass(ms: number): Promise<void> {
  await clock.advance(ms);
  await database.query({ text: `update reveals set at = at - $1::float8 * interval '1 millisecond'` }, [ms]);
}

async function entries(): Promise<readonly string[]> {
  const rows = await database.query<{ readonly entry: string }>({
    text: `select concat_ws(' ', actor, role, kind, object_id, object_name, outcome, method) as entry from audit order by id`,
  });
  return rows.map(({ entry }) => entry);
}

describe('the log of what was opened', () => {
  it('has who opened what, by which call', async () => {
    await open({ replica: 0, actor: 'ann', id: 'h' });
    expect(await entries()).toEqual(['ann admin hosts h name of h revealed /private.v1.Hosts/Get']);
  });

  it('gets one entry for an object, a caller and an hour, whichever replicas are asked how often at once', async () => {
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          openings: fc.array(fc.record({ replica: fc.nat(2), actor: fc.constantFrom('ann', 'bob'), id: fc.constantFrom('x', 'y') }), {
            minLength: 1,
            maxLength: 12,
          }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ passMs: fc.constantFrom(hourMs - 60_000, hourMs, 3 * hourMs) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        await database.query({ text: 'truncate reveals, audit' });
        startReplicas();
        const lastAt = new Map<string, number>(); // caller and object -> when the last entry was written
        let [nowMs, expected] = [0, 0];
        for (const each of steps) {
          if ('passMs' in each) {
            nowMs += each.passMs;
            await pass(each.passMs);
            continue;
          }
          for (const { actor, id } of each.openings) {
            const key = `${actor} ${id}`;
            if (nowMs - (lastAt.get(key) ?? Number.NEGATIVE_INFINITY) < hourMs) continue;
            lastAt.set(key, nowMs);
            expected += 1;
          }
          await Promise.all(each.openings.map(open));
          expect(await entries()).toHaveLength(expected);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('tells roles and objects of the same id apart', async () => {
    await open({ replica: 0, actor: 'ann', id: 'h' });
    await open({ replica: 0, actor: 'ann', id: 'h', role: 'tenant' });
    await open({ replica: 0, actor: 'ann', id: 'h', createdAt: 2n });
    await open({ replica: 1, actor: 'ann', id: 'h', createdAt: 2n });
    expect(await entries()).toHaveLength(3);
  });

  it('does not ask the database again for what it knows', async () => {
    for (let i = 0; i < 10; i += 1) await open({ replica: 0, actor: 'ann', id: 'h' });
    expect(asked).toBe(1);
    for (let i = 0; i < 10; i += 1) await open({ replica: 1, actor: 'ann', id: 'h' });
    // Once whether it may write, and once until when the other's entry is good.
    expect(asked).toBe(3);
    await pass(hourMs);
    await open({ replica: 1, actor: 'ann', id: 'h' });
    expect([asked, (await entries()).length]).toEqual([4, 2]);
  });

  it('fails when nothing can be written down', async () => {
    await database.query({ text: 'alter table audit rename to audit_away' });
    await expect(open({ replica: 0, actor: 'ann', id: 'h' })).rejects.toMatchObject({ code: 'internal' });
    await database.query({ text: 'alter table audit_away rename to audit' });
    await open({ replica: 0, actor: 'ann', id: 'h' });
    expect(await entries()).toHaveLength(1);
  });

  it('forgets what is older than an hour, and the audit log does not', async () => {
    await open({ replica: 0, actor: 'ann', id: 'old' });
    await pass(hourMs + 60_000);
    await open({ replica: 0, actor: 'ann', id: 'new' });
    const audit = new AuditLog({ database, retentionMs: 365 * 24 * hourMs, newId, clock: systemClock, log: silentLog });
    audit.start();
    const known = async () =>
      (await database.query<{ readonly id: string }>({ text: 'select object_id as id from reveals' })).map(({ id }) => id);
    await expect.poll(known).toEqual(['new']);
    await audit.stop();
    expect(await entries()).toHaveLength(2);
  });
});
