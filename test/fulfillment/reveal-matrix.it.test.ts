import { randomUUID } from 'node:crypto';
import type { DescMethod, Message } from '@bufbuild/protobuf';
import { toJson } from '@bufbuild/protobuf';
import * as extras from '@quartermaster/api/fulfillment-extras';
import * as privateApi from '@quartermaster/api/private';
import { startTestFulfillment, type TestCaller, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { codeOf, httpStatus, messageOf } from '@quartermaster/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { owner, type PlantedObject, plantSecrets, textAt } from './planted-secrets.ts';
import { handingOut, type RevealingGet, revealingGets, services } from './secret-contract.ts';

/** What somebody gets: its secrets, the object without them, or a refusal. */
type Outcome = 'secrets' | 'redacted' | 'permission_denied' | 'not_found' | 'unauthenticated';

const callers: Readonly<Record<string, TestCaller | undefined>> = {
  admin: { name: 'root', role: 'admin' },
  controller: { name: 'the-controller', role: 'controller' },
  provider: { name: 'ann', role: 'provider' },
  sync: { name: 'bcm-sync', role: 'sync', source: 'bcm' },
  owner: { name: 'olga', role: 'tenant', groups: [owner] },
  'other tenant': { name: 'otto', role: 'tenant', groups: ['globex'] },
  nobody: undefined,
};

// caller -> what a Get of the private API shows it without being asked to reveal, and when it is
const privateGets: Readonly<Record<string, readonly [Outcome, Outcome]>> = {
  admin: ['redacted', 'secrets'],
  controller: ['secrets', 'secrets'],
  provider: ['redacted', 'permission_denied'],
  owner: ['permission_denied', 'permission_denied'],
  'other tenant': ['permission_denied', 'permission_denied'],
  nobody: ['unauthenticated', 'unauthenticated'],
};
// service -> what a synchronizer, which reads nothing but hosts, is shown
const gets = (caller: string, { method }: RevealingGet): readonly [Outcome, Outcome] => {
  if (caller !== 'sync') return privateGets[caller] ?? ['unauthenticated', 'unauthenticated'];
  return method.parent.name === 'Hosts' ? ['redacted', 'permission_denied'] : ['permission_denied', 'permission_denied'];
};

// caller -> what it gets of a method that gives out a secret by itself
const handedOut: Readonly<Record<string, Exclude<Outcome, 'redacted'>>> = {
  admin: 'secrets',
  controller: 'permission_denied',
  provider: 'permission_denied',
  sync: 'permission_denied',
  owner: 'secrets',
  'other tenant': 'not_found',
  nobody: 'unauthenticated',
};

let service: TestFulfillment;
let planted: Readonly<Record<string, PlantedObject>>;
const canary = randomUUID();

beforeAll(async () => {
  service = await startTestFulfillment();
  let count = 0;
  planted = await plantSecrets(service.admin, () => `${canary}-${(count += 1)}`);
});

afterAll(async () => {
  await service.stop();
});

function plantedOf(typeName: string): PlantedObject {
  const found = planted[typeName];
  if (found === undefined) throw new Error(`${typeName} has secrets: plant one in planted-secrets.ts`);
  return found;
}

/** The answer of a method, or the failure. */
async function ask(caller: string, method: DescMethod, request: object): Promise<Message> {
  const who = callers[caller];
  const channel = who === undefined ? service.anonymous() : service.as(who);
  const client = channel.client(method.parent) as Readonly<Record<string, (request: object) => Promise<Message>>>;
  const call = client[method.localName];
  if (call === undefined) throw new Error(`the client has no ${method.localName}`);
  return await call(request);
}

async function askRest(caller: string, path: string): Promise<{ readonly status: number; readonly text: string }> {
  const who = callers[caller];
  const headers = who === undefined ? {} : { authorization: `Bearer ${await service.token(who)}` };
  const answer = await fetch(`${service.restUrl}${path}`, { headers });
  return { status: answer.status, text: await answer.text() };
}

const routeOf = (method: DescMethod, id: string): string => {
  const [api, , rest = ''] = method.parent.typeName.split('.');
  return `/api/${api}/v1/${rest.replaceAll(/(?!^)([A-Z])/g, '_$1').toLowerCase()}/${id}`;
};

/** Neither the value, nor the value in base64, whatever stands before it. */
function expectNoSecret(text: string): void {
  const forms = [canary, ...['', 'x', 'xx'].map((before) => Buffer.from(`${before}${canary}`).toString('base64').slice(4, -4))];
  for (const form of forms) expect(text).not.toContain(form);
}

const outcomes = Object.keys(callers).flatMap((caller) =>
  revealingGets.flatMap((get) =>
    [false, true].map((reveal) => ({ caller, get, kind: get.object.typeName, reveal, expected: gets(caller, get)[reveal ? 1 : 0] })),
  ),
);

describe('a Get of a kind with secrets', () => {
  it('is one of the private API', () => {
    expect(revealingGets.every(({ method }) => method.parent.typeName.startsWith('private.v1.'))).toBe(true);
  });

  it.each(outcomes)('gives $caller, for $kind with reveal $reveal: $expected, by gRPC', async ({ caller, get, reveal, expected }) => {
    const { id, secrets } = plantedOf(get.object.typeName);
    expect(Object.keys(secrets).toSorted()).toEqual([...get.secretPaths].toSorted());
    const answer = await ask(caller, get.method, { id, reveal }).catch((thrown: unknown) => thrown);
    if (answer instanceof Error) {
      expect(codeOf(answer)).toBe(expected);
      expectNoSecret(messageOf(answer));
      if (caller === 'provider') expect(messageOf(answer)).toMatch(/leave it out .* or ask an administrator/);
      return;
    }
    const object = Reflect.get(answer as object, 'object') as Message | undefined;
    const shown = Object.fromEntries(get.secretPaths.map((path) => [path, textAt(get.object, object, path)]));
    const marks = Object.fromEntries(get.secretPaths.map((path) => [path, '<redacted>']));
    expect(shown).toEqual(expected === 'secrets' ? secrets : expected === 'redacted' ? marks : expected);
    if (expected === 'redacted') expectNoSecret(JSON.stringify(toJson(get.method.output, answer as Message)));
  });

  it.each(outcomes)('gives $caller, for $kind with reveal $reveal: $expected, by REST', async ({ caller, get, reveal, expected }) => {
    const { id, secrets } = plantedOf(get.object.typeName);
    const { status, text } = await askRest(caller, `${routeOf(get.method, id)}${reveal ? '?reveal=true' : ''}`);
    if (expected === 'secrets') {
      expect(status).toBe(200);
      const form = (value: string): readonly string[] => [JSON.stringify(value), JSON.stringify(Buffer.from(value).toString('base64'))];
      const missing = Object.entries(secrets).filter(([, value]) => !form(value).some((each) => text.includes(each)));
      expect(missing).toEqual([]);
      return;
    }
    expect(status).toBe(expected === 'redacted' ? 200 : httpStatus[expected]);
    expectNoSecret(text);
  });

  it('of the public API has none to show, to nobody', async () => {
    const publicGets = services
      .filter(({ typeName }) => typeName.startsWith('fulfillment.v1.'))
      .flatMap(({ methods }) => methods.filter(({ name }) => name === 'Get'));
    // service -> an object of the owner, or of everybody
    const ids: Readonly<Record<string, string>> = {
      Clusters: 'planted-cluster',
      ClusterTemplates: 'planted-template',
      HostClasses: 'planted-class',
      HostPools: 'public-pool',
      Hosts: 'planted-host',
    };
    await service.admin.client(privateApi.HostPools).create({ object: { id: 'public-pool', metadata: { tenants: [owner] } } });
    expect(publicGets.map(({ parent }) => parent.name).toSorted()).toEqual(Object.keys(ids).toSorted());
    for (const method of publicGets) {
      expect(method.input.field['reveal']).toBeUndefined();
      for (const caller of Object.keys(callers)) {
        const { name } = method.parent;
        const route = routeOf(method, ids[name] ?? '');
        const { status, text } = await askRest(caller, route);
        // A host is its tenant's as long as it is assigned.
        if (caller === 'admin' || (caller === 'owner' && name !== 'Hosts')) expect([caller, name, status]).toEqual([caller, name, 200]);
        expectNoSecret(text);
        expectNoSecret((await askRest(caller, `${route}?reveal=true`)).text);
      }
    }
  });
});

const handOuts = Object.entries(handedOut).flatMap(([caller, expected]) =>
  handingOut.map((method) => ({ caller, method, name: method.name, expected })),
);

describe('a method that gives out a secret', () => {
  it.each(handOuts)('$name gives $caller: $expected', async ({ caller, method, expected }) => {
    const { id, secrets } = plantedOf('fulfillment.v1.Cluster');
    const secret = secrets[method.name.includes('Password') ? 'status.password' : 'status.kubeconfig'] ?? 'none';
    const answer = await ask(caller, method, { id }).catch((thrown: unknown) => thrown);
    if (answer instanceof Error) {
      expect(codeOf(answer)).toBe(expected);
      expectNoSecret(messageOf(answer));
      if (caller === 'provider') expect(messageOf(answer)).toContain('ask one of them, or an administrator');
    } else {
      const [value] = ['kubeconfig', 'password', 'data']
        .map((field) => Reflect.get(answer as object, field) as unknown)
        .filter((each) => each !== undefined);
      expect([expected, value instanceof Uint8Array ? new TextDecoder().decode(value) : value]).toEqual(['secrets', secret]);
    }
    const rest = await askRest(caller, `${routeOf(method, id)}/${method.name.includes('Password') ? 'password' : 'kubeconfig'}`);
    if (expected === 'secrets') expect(rest).toEqual({ status: 200, text: secret });
    else expect(rest.status).toBe(httpStatus[expected]);
    if (expected !== 'secrets') expectNoSecret(rest.text);
  });
});

describe('the audit log', () => {
  it('has one entry for each object and caller that opened it, and the refusals', async () => {
    const { entries } = await service.admin.client(extras.Audit).list({ limit: 1000, filter: 'this.outcome == "revealed"' });
    const opened = entries.map(({ actor, role, kind, objectId }) => [actor, role, kind, objectId].join(' ')).toSorted();
    expect(opened).toEqual([
      'olga tenant clusters planted-cluster',
      'root admin clusters planted-cluster',
      'root admin hosts planted-host',
      'root admin hubs planted-hub',
      'the-controller controller clusters planted-cluster',
      'the-controller controller hosts planted-host',
      'the-controller controller hubs planted-hub',
    ]);
    const refused = async () =>
      (await service.admin.client(extras.Audit).list({ filter: 'this.outcome == "permission_denied" && this.actor == "ann"' })).entries
        .map(({ method }) => method)
        .toSorted();
    await expect
      .poll(refused)
      .toEqual(
        expect.arrayContaining([
          '/fulfillment.v1.Clusters/GetPassword',
          '/private.v1.Clusters/Get',
          '/private.v1.Hosts/Get',
          '/private.v1.Hubs/Get',
        ]),
      );
  });

  it('is written before anything is shown: without it nothing is', async () => {
    const rename = (from: string, to: string) => service.database.query({ text: `alter table ${from} rename to ${to}` });
    const late = service.as({ name: 'late', role: 'admin' }).client(privateApi.Hosts);
    await rename('audit', 'audit_away');
    const failure = await late.get({ id: 'planted-host', reveal: true }).catch((thrown: unknown) => thrown);
    expect(codeOf(failure)).toBe('internal');
    expectNoSecret(messageOf(failure));
    expect((await late.get({ id: 'planted-host' })).object?.spec?.bmc?.password).toBe('<redacted>');
    await rename('audit_away', 'audit');
    expect((await late.get({ id: 'planted-host', reveal: true })).object?.spec?.bmc?.password).toContain(canary);
  });

  it('has nothing of an object without secrets, and one more of another that got its id', async () => {
    const reader = service.as({ name: 'reader', role: 'controller' }).client(privateApi.Hosts);
    const hosts = service.admin.client(privateApi.Hosts);
    const opened = async () =>
      (await service.admin.client(extras.Audit).list({ kind: 'hosts', objectId: 'again', filter: 'this.outcome == "revealed"' })).entries
        .length;
    await hosts.create({ object: { id: 'again', spec: { rack: 'r' } } });
    await reader.get({ id: 'again' });
    expect(await opened()).toBe(0);
    for (const count of [1, 2]) {
      await hosts.delete({ id: 'again' });
      await hosts.create({ object: { id: 'again', spec: { bmc: { password: `of ${count}` } } } });
      for (const _ of [1, 2]) expect((await reader.get({ id: 'again' })).object?.spec?.bmc?.password).toBe(`of ${count}`);
      expect(await opened()).toBe(count);
    }
  });
});
