import { providerHostType } from '@quartermaster/api/provider-host';
import { FakeClock } from '@quartermaster/kernel';
import type { KubeObject } from '@quartermaster/kube';
import { beforeEach, describe, expect, it } from 'vitest';
import { sampleRecord } from '../../test/sample-record.ts';
import { withHash } from '../apply/apply-objects.ts';
import { type LiveObject, liveObject } from '../apply/live-object.ts';
import { providerHostObject } from '../hostnames/provider-host.ts';
import { leaseNamespace } from '../model/lease-name.ts';
import { keepDeclared, removeDeclared } from './keep-declared.ts';
import type { LeaseContext } from './lease-context.ts';

const record = sampleRecord();
const at = { name: record.name, lease: record.lease, record, signal: new AbortController().signal };
const other = { ...record.lease, dseq: 8n };
const hostname = 'www.example.com';
const hostOf = (lease: typeof other) => providerHostObject(lease, { hostname, service: 'web', externalPort: 80 }, 'lease');

describe('what is declared of a lease', () => {
  let clock: FakeClock;
  let holder: string | undefined;
  let hosts: LiveObject[];
  let writes: KubeObject[];
  let removed: string[];

  beforeEach(() => {
    clock = new FakeClock();
    holder = at.name;
    [hosts, writes, removed] = [[], [], []];
  });

  const context = (): LeaseContext =>
    ({
      clock,
      hostnames: { holderOf: () => holder, heldBy: (name: string) => (name === holder ? [{ hostname }] : []) },
      caches: {
        declared: () => hosts[0],
        declaredFor: (namespace: string) => hosts.filter(({ labels }) => labels['akash.network/namespace'] === namespace),
        applied: (_kind: string, object: KubeObject) => (hosts = [liveObject(providerHostType, object as never)]),
        removed: () => {},
      },
      writer: {
        apply: async (_type: unknown, object: KubeObject) => {
          writes.push(object);
          return object;
        },
        delete: async (_type: unknown, { name }: { readonly name: string }) => void removed.push(name),
      },
      settings: { manifestNamespace: 'lease' },
    }) as unknown as LeaseContext;
  const keep = () => keepDeclared(context(), at, 'salt', [hostOf(record.lease)]);

  it('says when a hostname was last declared, and is not written again for that', async () => {
    await keep();
    const updatedAt = (object: KubeObject | undefined) => object?.metadata?.annotations?.['akash.network/lease.updated_at'];
    expect(updatedAt(writes[0])).toBe(new Date(clock.now()).toISOString());
    await clock.advance(60_000);
    await keep();
    expect(writes).toHaveLength(1);
  });

  it('is no hostname that another lease got while this one was being looked at', async () => {
    holder = 'amy-8-1-1';
    hosts = [liveObject(providerHostType, withHash(hostOf(other), 'salt'))];
    await keep();
    expect([writes, removed]).toEqual([[], []]);
  });

  it('goes with the lease that has the hostname, also where another one has declared it', async () => {
    hosts = [liveObject(providerHostType, withHash(hostOf(other), 'salt'))];
    expect(hosts[0]?.labels['akash.network/namespace']).toBe(leaseNamespace(other));
    await removeDeclared(context(), at);
    expect(removed).toEqual([hostname]);
  });

  it('stays where another lease has the hostname', async () => {
    holder = 'amy-8-1-1';
    hosts = [liveObject(providerHostType, withHash(hostOf(record.lease), 'salt'))];
    await removeDeclared(context(), at);
    expect(removed).toEqual([]);
  });
});
