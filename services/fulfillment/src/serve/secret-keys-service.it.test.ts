import { randomUUID } from 'node:crypto';
import { SecretKeys, type SecretKeysReencryptResponse, type SecretKeysStatusResponse } from '@quartermaster/api/fulfillment-extras';
import type { PrincipalIdentity } from '@quartermaster/auth';
import { silentLog } from '@quartermaster/kernel';
import { reencryptSecrets, secretKeyHandlers } from '@quartermaster/objects';
import { type Authenticate, openRpcChannel, serve, startRpcServer } from '@quartermaster/rpc';
import { type Database, KeyRing, type Sealed } from '@quartermaster/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestDatabases, type TestDatabases } from '../../test/test-database.ts';
import { adminCall } from '../../test/test-store.ts';

let databases: TestDatabases;
let database: Database;

beforeAll(async () => {
  databases = await startTestDatabases();
});

afterAll(async () => {
  await databases.stop();
});

beforeEach(async () => {
  database = await databases.open();
});

const oldText = KeyRing.generate();
const newText = KeyRing.generate();
const oldRing = KeyRing.parse(oldText);
const bothRings = KeyRing.parse(newText + oldText);
const newRing = KeyRing.parse(newText);

const contextOf = (id: number): string => `hosts/h-${id}/spec.bmc.password`;

async function store(ring: KeyRing, id: number, value: string): Promise<void> {
  const { keyId, bytes } = ring.seal(new TextEncoder().encode(value), contextOf(id));
  await database.query(
    {
      text: `insert into secrets (kind, object_id, path, key_id, sealed) values ('hosts', $1, 'spec.bmc.password', $2, $3)
        on conflict (kind, object_id, path) do update set key_id = excluded.key_id, sealed = excluded.sealed`,
    },
    [`h-${id}`, keyId, bytes],
  );
}

async function readWith(ring: KeyRing, id: number): Promise<string> {
  const [row] = await database.query<{ readonly key_id: string; readonly sealed: Uint8Array }>(
    { text: 'select key_id, sealed from secrets where object_id = $1' },
    [`h-${id}`],
  );
  if (row === undefined) throw new Error('there is no such secret');
  return new TextDecoder().decode(ring.open({ keyId: row.key_id, bytes: row.sealed }, contextOf(id)));
}

async function allOf<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

const never = new AbortController().signal;
const count = 450;

async function storeMany(): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, id) => store(oldRing, id, `secret ${id}`)));
}

describe('encrypting anew', () => {
  it('puts every secret under the current key, so that the old one can go', async () => {
    await storeMany();
    const told = await allOf(reencryptSecrets(database, bothRings, never));
    expect(told).toEqual([
      { done: 200, total: count, failed: 0 },
      { done: 400, total: count, failed: 0 },
      { done: count, total: count, failed: 0 },
    ]);
    for (const id of [0, 199, 200, 449]) expect(await readWith(newRing, id)).toBe(`secret ${id}`);
    expect(await allOf(reencryptSecrets(database, newRing, never))).toEqual([{ done: 0, total: 0, failed: 0 }]);
  });

  it('can be interrupted and started again', async () => {
    await storeMany();
    const stop = new AbortController();
    await expect(async () => {
      for await (const { done } of reencryptSecrets(database, bothRings, stop.signal)) if (done >= 200) stop.abort(new Error('enough'));
    }).rejects.toThrow('enough');
    const told = await allOf(reencryptSecrets(database, bothRings, never));
    expect(told.at(-1)).toEqual({ done: 250, total: 250, failed: 0 });
    expect(await readWith(newRing, 449)).toBe('secret 449');
  });

  it('loses nothing that is written meanwhile', async () => {
    await storeMany();
    const writes: Promise<void>[] = [];
    const busy = {
      currentKeyId: bothRings.currentKeyId,
      // Between the reading and the writing of each batch others write some of its rows.
      rewrap: (sealed: Sealed) => {
        const id = writes.length * 50;
        if (id < count) writes.push(store(oldRing, id, `newer ${id}`));
        return bothRings.rewrap(sealed);
      },
    };
    await allOf(reencryptSecrets(database, busy, never));
    await Promise.all(writes);
    expect(writes).toHaveLength(9);
    for (let id = 0; id < count; id += 50) expect(await readWith(bothRings, id)).toBe(`newer ${id}`);
    await allOf(reencryptSecrets(database, bothRings, never));
    for (let id = 0; id < count; id += 50) expect(await readWith(newRing, id)).toBe(`newer ${id}`);
  });

  it('passes over what somebody is writing, and comes back to it', async () => {
    await store(oldRing, 1, 'one');
    await store(oldRing, 2, 'two');
    const progress = reencryptSecrets(database, bothRings, never);
    const held = database.transaction([], async (tx) => {
      await tx.query({ text: "select 1 from secrets where object_id = 'h-1' for update" });
      // In the statements of another connection the row is busy: all passes go by without waiting for this transaction.
      return await allOf(progress);
    });
    expect(await held).toEqual([{ done: 1, total: 2, failed: 0 }]);
    expect(await allOf(reencryptSecrets(database, bothRings, never))).toEqual([{ done: 1, total: 1, failed: 0 }]);
    expect(await readWith(newRing, 1)).toBe('one');
  });

  it('counts what cannot be read, and does the others', async () => {
    const lost = KeyRing.parse(KeyRing.generate());
    await store(lost, 1, 'gone');
    await store(oldRing, 2, 'two');
    await store(oldRing, 3, 'damaged');
    await database.query({ text: "update secrets set sealed = '\\x0102' where object_id = 'h-3'" });
    expect(await allOf(reencryptSecrets(database, bothRings, never))).toEqual([{ done: 1, total: 3, failed: 2 }]);
    expect(await readWith(newRing, 2)).toBe('two');
  });
});

describe('service of the keys', () => {
  const { principal } = adminCall();
  const identity: PrincipalIdentity = { kind: 'token', name: principal.name, groups: [], principal };
  const authenticate: Authenticate = () => identity;

  it('says which key encrypts how much, and puts an end to an old one', async () => {
    await store(oldRing, 1, 'one');
    await store(bothRings, 2, 'two');
    const lost = KeyRing.parse(KeyRing.generate());
    await store(lost, 3, 'three');
    const services = [serve(SecretKeys, secretKeyHandlers({ database, keys: bothRings, newId: randomUUID, log: silentLog }))];
    const server = await startRpcServer({ services, authenticate });
    const channel = openRpcChannel({ address: server.address });
    const client = channel.client(SecretKeys);
    const keys = ({ currentKeyId, keys: all }: SecretKeysStatusResponse) => ({
      currentKeyId,
      keys: new Map(all.map(({ keyId, secrets, isKnown }) => [keyId, [secrets, isKnown]])),
    });
    expect(keys(await client.status({}))).toEqual({
      currentKeyId: newRing.currentKeyId,
      keys: new Map([
        [newRing.currentKeyId, [1n, true]],
        [oldRing.currentKeyId, [1n, true]],
        [lost.currentKeyId, [1n, false]],
      ]),
    });
    const told: SecretKeysReencryptResponse[] = await allOf(client.reencrypt({}));
    expect(told.at(-1)).toMatchObject({ done: 1n, total: 2n, failed: 1n });
    expect(keys(await client.status({})).keys.get(oldRing.currentKeyId)).toEqual([0n, true]);
    const entries = await database.query({ text: 'select actor, kind, object_id from audit' });
    expect(entries).toEqual([{ actor: 'root', kind: 'secret_keys', object_id: newRing.currentKeyId }]);
    channel.close();
    await server.stop(1_000);
  });
});
