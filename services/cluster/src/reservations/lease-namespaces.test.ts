import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cacheOpener, KubeClient, type KubeObject, KubeTransport, staticCredentials } from '@quartermaster/kube';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { leaseAnnotations, leaseLabels } from '../model/lease-labels.ts';
import { LeaseNamespaces } from './lease-namespaces.ts';
import { orderName } from './order-name.ts';

const order = { owner: 'akash1x', dseq: 7n, gseq: 1, oseq: 2 };
const key = (part: string) => `akash.network/lease.id.${part}`;

function namespace(name: string, owner = order.owner, deletionTimestamp?: string): KubeObject {
  const labels = { [key('owner')]: owner, [key('dseq')]: '7', [key('gseq')]: '1', [key('oseq')]: '2' };
  return { metadata: { name, uid: `${name}-uid`, labels, deletionTimestamp } };
}

const isSelected = ({ metadata }: KubeObject, selector: string): boolean =>
  selector.split(',').every((part) => {
    const [label = '', value] = part.split('=');
    const found = metadata?.labels?.[label];
    return value === undefined ? found !== undefined : found === value;
  });

/** A server whose watches are open and say nothing: what is added after the first list is known to whoever asks, and to nobody who follows. */
async function world() {
  const state = { items: [] as KubeObject[], isBroken: false };
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? '/', 'http://server').searchParams;
    response.writeHead(state.isBroken ? 500 : 200, { 'content-type': 'application/json' });
    if (query.get('watch') === 'true') return response.flushHeaders();
    const items = state.items.filter((item) => isSelected(item, query.get('labelSelector') ?? ''));
    return response.end(JSON.stringify({ kind: 'NamespaceList', metadata: { resourceVersion: '10' }, items }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server: url }) }));
  const namespaces = new LeaseNamespaces(client, cacheOpener(client));
  onTestFinished(async () => {
    await namespaces.stop();
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  await vi.waitUntil(() => namespaces.isKnown);
  return { state, namespaces };
}

describe('the lease of an order', () => {
  it('is what the server says, whatever was followed so far', async () => {
    const { state, namespaces } = await world();
    expect(await namespaces.leaseOf(order)).toBeUndefined();
    state.items.push(namespace('lease'));
    expect([namespaces.isKnown, namespaces.of(orderName(order))]).toEqual([true, []]);
    expect(await namespaces.leaseOf(order)).toMatchObject({ name: 'lease', uid: 'lease-uid' });
  });

  it('is neither one that is being deleted nor that of another order', async () => {
    const { state, namespaces } = await world();
    state.items.push(namespace('gone', order.owner, '2026-01-01T00:00:00Z'), namespace('another', 'akash1y'));
    expect(await namespaces.leaseOf(order)).toBeUndefined();
    expect(await namespaces.leaseOf({ ...order, owner: 'akash1y' })).toMatchObject({ name: 'another' });
    expect(await namespaces.leaseOf({ ...order, owner: 'no label: /'.repeat(10) })).toBeUndefined();
  });

  it('is ambiguous where several claim to be it', async () => {
    const { state, namespaces } = await world();
    state.items.push(namespace('a'), namespace('b'));
    expect(await namespaces.leaseOf(order)).toBe('ambiguous');
  });

  it('is the one whose annotation names an owner that no label can hold', async () => {
    const { state, namespaces } = await world();
    const lease = { ...order, owner: 'Ada Lovelace <ada@example.org>', provider: 'akash1p' };
    state.items.push({ metadata: { name: 'ada', uid: 'ada-uid', labels: leaseLabels(lease), annotations: leaseAnnotations(lease) } });
    expect(await namespaces.leaseOf(lease)).toMatchObject({ name: 'ada', order: { owner: lease.owner } });
    expect(await namespaces.leaseOf(order)).toBeUndefined();
  });

  it('is ambiguous where its labels say one thing and its annotations another, and not that of a third', async () => {
    const { state, namespaces } = await world();
    const lease = { ...order, provider: 'akash1p' };
    const other = { ...lease, owner: 'akash1y' };
    const metadata = { name: 'odd', uid: 'odd-uid', labels: leaseLabels(lease), annotations: leaseAnnotations(other) };
    state.items.push({ metadata });
    expect(await namespaces.leaseOf(lease)).toBe('ambiguous');
    expect(await namespaces.leaseOf(other)).toBe('ambiguous');
    expect(await namespaces.leaseOf({ ...lease, owner: 'akash1z' })).toBeUndefined();
    state.items = [{ metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }];
    expect(await namespaces.leaseOf(lease)).toBeUndefined();
  });

  it('is not taken for none when the server does not say', async () => {
    const { state, namespaces } = await world();
    state.isBroken = true;
    await expect(namespaces.leaseOf(order)).rejects.toThrow(/namespaces/);
  });
});
