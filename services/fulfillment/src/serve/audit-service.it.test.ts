import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Audit, type AuditEntry, type AuditListRequestSchema } from '@quartermaster/api/fulfillment-extras';
import { HostSchema } from '@quartermaster/api/private';
import { openingsFilter } from '@quartermaster/api/states';
import { createUuidV7, FakeClock, type Log, StatusError, silentLog, systemRandom } from '@quartermaster/kernel';
import type { AuditEvent } from '@quartermaster/objects';
import { AuditLog, auditPart, auditRow, diffMessages } from '@quartermaster/objects';
import { openRpcChannel, type RpcServer, startRpcServer } from '@quartermaster/rpc';
import { type Database, WriteBatch } from '@quartermaster/store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestDatabases, type TestDatabases } from '../../test/test-database.ts';
import { auditService } from './audit-service.ts';

const dayMs = 86_400_000;

let databases: TestDatabases;
let database: Database;
let clock: FakeClock;
let newId: () => string;
let server: RpcServer;

beforeAll(async () => {
  databases = await startTestDatabases();
});

afterAll(async () => {
  await databases.stop();
});

beforeEach(async () => {
  database = await databases.open();
  clock = new FakeClock(Date.UTC(2026, 10, 15));
  newId = createUuidV7({ clock, random: systemRandom });
  server = await startRpcServer({ services: [auditService({ database, clock })] });
});

afterEach(async () => {
  await server.stop(1_000);
});

async function list(request: MessageInitShape<typeof AuditListRequestSchema> = {}) {
  const channel = openRpcChannel({ address: server.address, tries: 1 });
  try {
    return await channel.client(Audit).list(request);
  } finally {
    channel.close();
  }
}

const ids = (entries: readonly AuditEntry[]): string[] => entries.map(({ objectId }) => objectId);

const origin = { actor: 'ann', role: 'provider', peer: '192.0.2.1:5', method: '/private.v1.Hosts/Update', requestId: 'r-1' };

async function write(event: Partial<AuditEvent>, from: Partial<typeof origin> = {}): Promise<void> {
  const batch = new WriteBatch();
  const whole = { kind: 'hosts', objectId: 'h', objectName: '', changes: [], outcome: 'updated', ...event };
  batch.add(auditPart, auditRow(newId(), { ...origin, ...from }, whole));
  await database.transaction([], (tx) => batch.flush(tx));
}

describe('audit log', () => {
  it('tells apart which people and which controllers opened the secrets of an object, and leaves out an earlier one with its id', async () => {
    const opened = { outcome: 'revealed' };
    await write(opened, { actor: 'of-an-earlier-one', role: 'admin' });
    // The log has the time of the database.
    await database.query({ text: `update audit set at = at - interval '1 hour'` });
    const created = new Date().toISOString();
    await write(opened, { actor: 'root', role: 'admin' });
    for (let hour = 0; hour < 5; hour += 1) await write(opened, { actor: 'ctl', role: 'controller' });
    await write({ outcome: 'updated' });
    const actors = async (by: 'people' | 'controllers', since: string | undefined): Promise<readonly string[]> => {
      const { entries } = await list({ kind: 'hosts', objectId: 'h', filter: openingsFilter(by, since), limit: 3 });
      return entries.map(({ actor }) => actor);
    };
    expect(await actors('people', created)).toEqual(['root']);
    expect(await actors('controllers', created)).toEqual(['ctl', 'ctl', 'ctl']);
    expect(await actors('people', undefined)).toEqual(['root', 'of-an-earlier-one']);
  });

  it('tells who changed what, from where', async () => {
    const [before, after] = [create(HostSchema, { spec: { rack: 'a' } }), create(HostSchema, { spec: { rack: 'b', title: 'x\0y' } })];
    const changes = diffMessages(HostSchema, before, after, { secretPaths: [] });
    await write({ objectId: 'h-1', objectName: 'one', changes });
    const { entries, nextCursor } = await list();
    expect(nextCursor).toBe('');
    expect(entries).toMatchObject([
      {
        actor: 'ann',
        role: 'provider',
        peer: '192.0.2.1:5',
        method: '/private.v1.Hosts/Update',
        requestId: 'r-1',
        kind: 'hosts',
        objectId: 'h-1',
        objectName: 'one',
        outcome: 'updated',
        changes: [
          { path: 'spec.rack', before: '"a"', after: '"b"' },
          { path: 'spec.title', before: '', after: '"x\\u0000y"' },
        ],
      },
    ]);
    expect(entries[0]?.at?.seconds).toBeGreaterThan(1_700_000_000n);
  });

  it('is gone with the transaction that it told of', async () => {
    const batch = new WriteBatch();
    batch.add(auditPart, auditRow(newId(), origin, { kind: 'hosts', objectId: 'h', objectName: '', changes: [], outcome: 'updated' }));
    const failing = database.transaction([], async (tx) => {
      await batch.flush(tx);
      throw new StatusError('aborted', 'thought better of it');
    });
    await expect(failing).rejects.toThrow(/thought better/);
    expect((await list()).entries).toEqual([]);
  });

  it('is read from the newest entry on, in pages that go on where the last one ended', async () => {
    for (let i = 0; i < 5; i += 1) await write({ objectId: `h-${i}` });
    const first = await list({ limit: 2 });
    expect(ids(first.entries)).toEqual(['h-4', 'h-3']);
    await write({ objectId: 'newer' });
    const second = await list({ limit: 2, cursor: first.nextCursor });
    expect(ids(second.entries)).toEqual(['h-2', 'h-1']);
    const third = await list({ limit: 2, cursor: second.nextCursor });
    expect(ids(third.entries)).toEqual(['h-0']);
    expect(third.nextCursor).toBe('');
  });

  it('has the history of one object', async () => {
    await write({ objectId: 'a' });
    await write({ objectId: 'b' });
    await write({ objectId: 'a', kind: 'clusters' });
    expect((await list({ kind: 'hosts', objectId: 'a' })).entries).toHaveLength(1);
    expect((await list({ kind: 'hosts' })).entries).toHaveLength(2);
    await expect(list({ objectId: 'a' })).rejects.toMatchObject({ code: 'invalid_argument', message: expect.stringContaining('"kind"') });
  });

  it('is filtered by expressions over its entries', async () => {
    await write({ objectId: 'h-1', changes: [{ path: 'spec.rack', before: '"a"', after: '"b"' }] });
    await write({ objectId: 'h-2', outcome: 'deleted' }, { actor: 'bob' });
    await write({ objectId: 'h-3' }, { actor: 'ann', role: 'admin' });
    const found = async (filter: string): Promise<string[]> => ids((await list({ filter })).entries);
    expect(await found('this.actor == "bob"')).toEqual(['h-2']);
    expect(await found('this.actor == "ann" && this.role != "admin"')).toEqual(['h-1']);
    expect(await found('this.outcome in ["deleted", "archived"] || this.object_id == "h-3"')).toEqual(['h-3', 'h-2']);
    expect(await found('this.at > timestamp("2020-01-01T00:00:00Z")')).toHaveLength(3);
    expect(await found('this.at > timestamp("2120-01-01T00:00:00Z")')).toEqual([]);
    expect(await found('this.changes.exists(c, c.path == "spec.rack" && c.before == "\\"a\\"")')).toEqual(['h-1']);
    expect(await found('size(this.changes) == 0')).toEqual(['h-3', 'h-2']);
    await expect(found('this.password == ""')).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(found('this.actor ==')).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('refuses a page of a size or place that there is none of', async () => {
    await expect(list({ limit: -1 })).rejects.toThrow(/"limit": must not be negative/);
    await expect(list({ cursor: 'nonsense' })).rejects.toThrow(/"cursor"/);
    await write({});
    await write({});
    const { nextCursor } = await list({ limit: 1 });
    await expect(list({ cursor: nextCursor, kind: 'hubs' })).rejects.toThrow(/another filter/);
  });
});

describe('refused writes', () => {
  const tenant = {
    name: 'eve',
    role: 'tenant' as const,
    visibleTenants: [],
    assignableTenants: [],
    defaultTenants: [],
    mayReadSecrets: false,
  };
  const refused = { principal: tenant, method: '/private.v1.Hosts/Delete', peer: '192.0.2.9:1' };
  const auditLog = (log: Log = silentLog): AuditLog => new AuditLog({ database, retentionMs: dayMs, newId, clock, log });

  it('are written down once a minute for each caller and method', async () => {
    const audit = auditLog();
    for (let i = 0; i < 50; i += 1) audit.recordRefusal(refused);
    audit.recordRefusal({ ...refused, method: '/private.v1.Hubs/Create' });
    await clock.advance(60_000);
    audit.recordRefusal(refused);
    await audit.stop();
    const { entries } = await list();
    expect(entries.map(({ actor, method, outcome }) => [actor, method, outcome])).toEqual([
      ['eve', '/private.v1.Hosts/Delete', 'permission_denied'],
      ['eve', '/private.v1.Hubs/Create', 'permission_denied'],
      ['eve', '/private.v1.Hosts/Delete', 'permission_denied'],
    ]);
  });

  it('are not more than the log can bear', async () => {
    const audit = auditLog();
    for (let i = 0; i < 1_200; i += 1) audit.recordRefusal({ ...refused, principal: { ...tenant, name: `eve-${i}` } });
    await audit.stop();
    const [row] = await database.query<{ readonly count: bigint }>({ text: 'select count(*) as count from audit' });
    expect(row?.count).toBe(1_000n);
  });

  it('do no harm while the database is away', async () => {
    const warnings: string[] = [];
    const audit = auditLog({ ...silentLog, warn: (message) => void warnings.push(message) });
    await database.query({ text: 'drop table audit' });
    audit.recordRefusal(refused);
    await audit.stop();
    expect(warnings).toEqual(['refused writes could not be audited']);
  });
});

describe('retention', () => {
  it('takes away what is older, and nothing else', async () => {
    await write({ objectId: 'old' });
    await clock.advance(2 * dayMs);
    await write({ objectId: 'new' });
    const audit = new AuditLog({ database, retentionMs: dayMs, newId, clock, log: silentLog });
    expect(await audit.prune()).toBe(1);
    expect(ids((await list()).entries)).toEqual(['new']);
    expect(await audit.prune()).toBe(0);
  });

  it('looks by itself at the start and every hour', async () => {
    const counts: unknown[] = [];
    const log = { ...silentLog, info: (_message: string, fields?: object) => void counts.push(fields) };
    const audit = new AuditLog({ database, retentionMs: dayMs, newId, clock, log });
    await write({ objectId: 'old' });
    await clock.advance(2 * dayMs);
    audit.start();
    await clock.advance(0);
    await expect.poll(() => counts).toEqual([{ count: 1 }]);
    await audit.stop();
    expect(clock.pendingTimers).toBe(0);
  });
});
