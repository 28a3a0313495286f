import { createHash } from 'node:crypto';
import { FakeClock, StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { type TenantWish, tenantManifest, tenantOrder, tenantReservation } from '../../test/lease-tenant.ts';
import { sampleRecord } from '../../test/sample-record.ts';
import { confirmedOf } from '../serve-leases/lease-requests.ts';
import type { LeaseContext } from './lease-context.ts';
import { overdue } from './lease-transitions.ts';
import { takeManifest, verdictOn } from './take-manifest.ts';

const wish: TenantWish = { order: { owner: 'amy', dseq: 7n, gseq: 1, oseq: 1 }, hosts: ['www.example.com'], keeper: 'store' };

describe('a manifest that is taken', () => {
  it('keeps what was confirmed with the one before it, unless all of that was done, and no Secret of it', async () => {
    const confirmedAfter = async (changed: Parameters<typeof sampleRecord>[0]) => {
      let stored: readonly string[] = [];
      let isUnclean = false;
      const record = sampleRecord(changed);
      const context = {
        records: { change: async () => record },
        manifests: {
          hasLostSecret: () => false,
          of: () => undefined,
          shown: () => ({ hash: 'before', confirmed: ['db/data'] }),
          put: async (_writer: unknown, { confirmed }: { confirmed: readonly string[] }) => {
            stored = confirmed;
            isUnclean = true;
          },
          isUnclean: () => isUnclean,
          clean: async () => void (isUnclean = false),
        },
        view: { of: () => ({ order: tenantOrder(wish) }) },
        book: { reservation: () => tenantReservation(wish) },
        hostnames: { check: () => [] },
        caches: { claimsIn: () => [] },
        settings: { permissions: [], terms: { ingressDomain: '', staticHosts: false }, objects: { gpuRuntimeClass: '' } },
        announce: () => {},
        clock: new FakeClock(),
      } as unknown as LeaseContext;
      const at = { name: record.name, lease: record.lease, record, signal: new AbortController().signal };
      const verdict = await takeManifest(context, at, { ...tenantManifest(wish), confirmed: ['web/cache'] });
      expect([verdict.kind, isUnclean]).toEqual(['accepted', false]);
      return stored;
    };
    expect(await confirmedAfter({ manifestHash: 'before', deployedAt: undefined })).toEqual(['web/cache', 'db/data']);
    expect(await confirmedAfter({ manifestHash: 'earlier', deployedAt: 1_000 })).toEqual(['web/cache', 'db/data']);
    expect(await confirmedAfter({ manifestHash: 'before', deployedAt: 1_000 })).toEqual(['web/cache']);
  });

  it('is told of where the cluster refuses to store it: nothing runs, or what ran before goes on, and the tenant need not send it again', async () => {
    const recordAfter = async (before: ReturnType<typeof sampleRecord>, thrown: StatusError) => {
      let record = before;
      const context = {
        records: {
          change: async (_writer: unknown, _name: string, change: (from: typeof record) => typeof record) => (record = change(record)),
        },
        manifests: {
          ...{ hasLostSecret: () => false, of: () => undefined, shown: () => undefined },
          put: async () => {
            throw thrown;
          },
        },
        view: { of: () => ({ order: tenantOrder(wish) }) },
        book: { reservation: () => tenantReservation(wish) },
        hostnames: { check: () => [] },
        caches: { claimsIn: () => [] },
        settings: { permissions: [], terms: { ingressDomain: '', staticHosts: false }, objects: { gpuRuntimeClass: '' } },
        announce: () => {},
        clock: new FakeClock(),
      } as unknown as LeaseContext;
      const at = { name: record.name, lease: record.lease, record, signal: new AbortController().signal };
      await expect(takeManifest(context, at, tenantManifest(wish))).rejects.toThrow(thrown.message);
      return record;
    };
    const forbidden = new StatusError('permission_denied', 'exceeded quota of inside', { details: { kind: 'forbidden' } });
    const first = sampleRecord({ state: 'Pending', reason: 'ManifestMissing', wonAt: 0, manifestHash: undefined });
    const refused = await recordAfter(first, forbidden);
    expect(refused).toMatchObject({ state: 'Error', reason: 'RefusedByCluster', message: expect.stringContaining('exceeded quota') });
    const since = refused.unhealthySince ?? Number.NaN;
    const deadlines = { manifestTimeoutMs: 1, unhealthyTimeoutMs: 1_000 };
    expect(overdue(refused, deadlines, since + 999, { market: Infinity })).toEqual({ inMs: 1 });
    expect(overdue(refused, deadlines, since + 1_000, { market: Infinity })).toEqual({
      message: expect.stringMatching(/rejected an object of the lease: ask the provider why$/),
    });
    const running = sampleRecord({ state: 'Active', reason: 'Running', manifestHash: 'before' });
    const updated = await recordAfter(running, forbidden);
    expect(updated.unhealthySince).toBeUndefined();
    expect(updated).toMatchObject({
      ...{ state: 'Active', reason: 'Running' },
      refused: { reason: 'ManifestNotStored', message: 'the provider’s cluster could not store the manifest: ask the provider why' },
    });
    expect(await recordAfter(first, new StatusError('unavailable', 'the API server is away'))).toBe(first);
  });

  it('is that of the deployment, as the market has it', async () => {
    const verdictWith = async (known: string | undefined, { isPreview = false, newer = known } = {}) => {
      let manifestHash = known;
      const record = sampleRecord();
      const context = {
        manifests: { hasLostSecret: () => false, of: () => undefined },
        view: {
          of: () => ({ order: tenantOrder(wish), lease: { manifestHash } }),
          ask: async () => void (manifestHash = newer),
        },
        book: { reservation: () => tenantReservation(wish) },
        hostnames: { check: () => [] },
        caches: { claimsIn: () => [] },
        settings: { permissions: [], terms: { ingressDomain: '', staticHosts: false } },
      } as unknown as LeaseContext;
      const at = { name: record.name, lease: record.lease, record, signal: new AbortController().signal };
      const verdict = await verdictOn(context, at, tenantManifest(wish), { isPreview });
      return verdict.kind === 'refused' ? verdict.reasons.map(({ code }) => code) : verdict.kind;
    };
    expect(await verdictWith(createHash('sha256').update(tenantManifest(wish).json).digest('hex'))).toBe('accepted');
    expect(await verdictWith('another')).toEqual(['ManifestHashMismatch']);
    // What was deployed a moment ago is asked for before it is refused.
    const newer = createHash('sha256').update(tenantManifest(wish).json).digest('hex');
    expect(await verdictWith('another', { newer })).toBe('accepted');
    expect(await verdictWith(undefined)).toBe('accepted');
    // Nobody previews what is deployed already.
    expect(await verdictWith('another', { isPreview: true })).toBe('accepted');
  });

  it.each(['failed_precondition', 'unavailable'] as const)('takes the place of one that cannot be read: %s', async (code) => {
    const record = sampleRecord();
    const kept = ['store-data-store-0'];
    let claims: readonly string[] = [];
    const context = {
      manifests: {
        hasLostSecret: () => false,
        shown: () => undefined,
        of: () => {
          throw new StatusError(code, 'memory.size is no number');
        },
      },
      view: { of: () => ({ order: tenantOrder(wish), lease: {} }) },
      book: { reservation: () => tenantReservation(wish) },
      hostnames: { check: () => [] },
      caches: { claimsIn: () => claims.map((name) => ({ name })) },
      settings: { permissions: [], terms: { ingressDomain: '', staticHosts: false } },
    } as unknown as LeaseContext;
    const at = { name: record.name, lease: record.lease, record, signal: new AbortController().signal };
    const verdictWith = async (names: readonly string[], confirmed: readonly string[] = []) => {
      claims = names;
      const verdict = await verdictOn(context, at, { ...tenantManifest(wish), confirmed });
      return verdict.kind === 'refused' ? verdict.reasons.map((reason) => reason.code) : verdict.kind;
    };
    // What cannot be read at the moment may be the one that runs.
    if (code === 'unavailable') return await expect(verdictWith([])).rejects.toMatchObject({ code });
    expect(await verdictWith([])).toBe('accepted');
    // Whatever it had: the volumes that are there are lost only where that was confirmed.
    expect(await verdictWith(['old-data-old-0'])).toEqual(['DataLossUnconfirmed']);
    expect(await verdictWith(['old-data-old-0'], ['old/data'])).toBe('accepted');
    expect(await verdictWith(kept)).toBe('accepted');
    // What the message asks for is what callers may send, and does it.
    const messageWith = async (names: readonly string[]): Promise<string> => {
      claims = names;
      const verdict = await verdictOn(context, at, { ...tenantManifest(wish), confirmed: [] });
      return verdict.kind === 'refused' ? verdict.reasons.map(({ message }) => message).join() : '';
    };
    for (const lost of ['old-data-old-0', 'a-a-a-a-a-10', 'my-db-wal-log-my-db-2']) {
      const said = await messageWith([lost, lost.replace(/\d+$/, '3')]);
      const confirm = [...said.matchAll(/confirm=([^, ]+)/g)].map(([, each = '']) => each);
      expect(confirmedOf({ confirm })).toHaveLength(1);
      expect(said).toContain(`the data of ${confirm[0]} would be lost`);
      expect(await verdictWith([lost], confirm)).toBe('accepted');
    }
    const long = `${'x'.repeat(40)}-0`;
    expect(await messageWith([long])).toBe(
      `the data of ${long} would be lost: confirm each with confirm=SERVICE/VOLUME, as the earlier SDL names them, or keep the volume`,
    );
  });
});
