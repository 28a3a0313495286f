import { describe, expect, it } from 'vitest';
import { expose, service } from '../../test/lease-content.ts';
import { sampleRecord } from '../../test/sample-record.ts';
import type { MarketLease } from '../market/market.ts';
import type { OrderTurns } from '../reservations/order-turns.ts';
import { leaseActions } from './lease-actions.ts';
import type { LeaseContext } from './lease-context.ts';

const { lease } = sampleRecord();
const { signal } = new AbortController();
const wanted = { hostname: 'www.example.com', service: 'web', externalPort: 80, isStatic: false };

function actions(
  state: MarketLease['state'] | undefined,
  isDeployed = true,
  changed: Parameters<typeof sampleRecord>[0] = {},
  isRecorded = true,
) {
  const did: string[] = [];
  const group = { name: 'main', services: [service({ exposes: [expose({ hosts: ['www.example.com'] })] })] };
  const context = {
    records: {
      of: () => (isRecorded ? sampleRecord(changed) : undefined),
      ensure: async () => {
        if (!isRecorded) did.push('recorded');
        return sampleRecord(changed);
      },
    },
    view: {
      of: () => ({ lease: state === undefined ? undefined : { order: lease, provider: lease.provider, state } }),
      ask: async () => void did.push('asked'),
      answered: () => void did.push('told'),
    },
    market: {
      closeLease: async () => {
        did.push('closed');
        return { kind: 'done', value: {} };
      },
    },
    hostnameClaims: {
      transfer: async (_lease: unknown, { hostname }: { hostname: string }) => {
        did.push(`transferred ${hostname}`);
        return { hostname };
      },
    },
    announce: (what: string, _lease: unknown, hostname: string) => did.push(`announced ${what} ${hostname}`),
    manifests: { shown: () => (isDeployed ? { group, hash: 'hash' } : undefined) },
    settings: { permissions: [], terms: { ingressDomain: '', staticHosts: false } },
  } as unknown as LeaseContext;
  const turns = { call: (_name: string, work: () => Promise<unknown>) => work() } as unknown as OrderTurns;
  return { did, of: leaseActions(context, turns) };
}

describe('what a caller may have done with a lease', () => {
  it.each([
    ['closed', 'failed_precondition', []],
    [undefined, 'not_found', ['asked']],
  ] as const)('is nothing of one that is %s', async (state, code, did) => {
    const calls = (of: ReturnType<typeof actions>['of']): Readonly<Record<string, () => Promise<unknown>>> => ({
      submit: () => of.submitManifest(lease, { json: '[]', confirmed: [] }, signal),
      preview: () => of.previewManifest(lease, '[]', signal),
      close: () => of.closeLease(lease, 'why', signal),
      transfer: () => of.transferHostname(lease, wanted, signal),
    });
    for (const call of ['submit', 'preview', 'close', 'transfer']) {
      const to = actions(state);
      await expect(calls(to.of)[call]?.()).rejects.toMatchObject({ code });
      expect(to.did).toEqual(did);
    }
  });

  it.each([{ closingAt: 1 }, { state: 'Complete', completeAt: 2 }] as const)(
    'is to close it where it has ended here and the market says that it is active, and nothing else: %j',
    async (changed) => {
      const to = actions('active', true, changed);
      const ended = { code: 'failed_precondition', message: expect.stringContaining('has ended') };
      await expect(to.of.submitManifest(lease, { json: '[]', confirmed: [] }, signal)).rejects.toMatchObject(ended);
      await expect(to.of.previewManifest(lease, '[]', signal)).rejects.toMatchObject(ended);
      await expect(to.of.transferHostname(lease, wanted, signal)).rejects.toMatchObject(ended);
      await to.of.closeLease(lease, 'why', signal);
      expect(to.did).toEqual(['closed', 'told']);
    },
  );

  it('is a preview only of one that is on record: nothing is written for it', async () => {
    const to = actions('active', true, {}, false);
    await expect(to.of.previewManifest(lease, '[]', signal)).rejects.toMatchObject({ code: 'unavailable' });
    await to.of.closeLease(lease, 'why', signal);
    expect(to.did).toEqual(['closed', 'told']);
  });

  it('is to close it at the market, which is believed at once', async () => {
    const to = actions('active');
    await to.of.closeLease(lease, 'why', signal);
    expect(to.did).toEqual(['closed', 'told']);
  });

  it.each([
    ['has the name', wanted, true],
    ['has the name, in another spelling', { ...wanted, hostname: 'WWW.Example.com' }, true],
    ['does not have the name', { ...wanted, hostname: 'api.example.com' }, false],
    ['has it at another service', { ...wanted, service: 'db' }, false],
  ])('is to give it a name where its manifest %s', async (_what, asked, isGiven) => {
    const to = actions('active');
    const transfer = to.of.transferHostname(lease, asked, signal);
    if (isGiven) await transfer;
    else await expect(transfer).rejects.toMatchObject({ code: 'failed_precondition' });
    expect(to.did).toEqual(isGiven ? [`transferred ${asked.hostname}`, `announced hostname ${asked.hostname}`] : []);
    await expect(actions('active', false).of.transferHostname(lease, asked, signal)).rejects.toMatchObject({ code: 'failed_precondition' });
  });
});
