import { createHash } from 'node:crypto';
import { readManifest } from '@quartermaster/api/lease-manifest';
import { describe, expect, it } from 'vitest';
import { type TenantWish, tenantManifest, tenantOrder } from '../../test/lease-tenant.ts';
import type { HostnameGrant } from '../hostnames/hostname-book.ts';
import type { ReceivedManifest } from '../market/market.ts';
import { judgeManifest, type ManifestContext } from './judge-manifest.ts';

const wish: TenantWish = { order: { owner: 'amy', dseq: 7n, gseq: 1, oseq: 1 }, hosts: ['www.example.com'], keeper: 'store' };
const lease = { ...wish.order, provider: 'farm' };
const manifest = tenantManifest(wish);
const hashOf = ({ json }: ReceivedManifest): string => createHash('sha256').update(json).digest('hex');
const groupOf = ({ json }: ReceivedManifest) => readManifest(json)[0];

/** Of a lease that has what the manifest asks for. */
function context(changed: Partial<ManifestContext> = {}): ManifestContext {
  const { request, httpEndpoints } = tenantOrder(wish);
  const held = { state: 'held', message: '', code: '' } as const;
  return {
    ...{ lease, expectedHash: undefined, request, httpEndpoints, before: undefined },
    hostnames: { check: (_lease, wanted) => wanted.map((each) => ({ ...each, ...held })) },
    terms: { ingressDomain: '', staticHosts: false },
    permissions: ['logs', 'events', 'deployment'],
    ...changed,
  };
}

const codesOf = (received: ReceivedManifest, changed: Partial<ManifestContext> = {}): readonly string[] => {
  const verdict = judgeManifest(received, context(changed));
  return verdict.kind === 'refused' ? verdict.reasons.map(({ code }) => code) : [verdict.kind];
};

/** The same lease without the volume of its store, as a market would not let it through. */
const { json } = manifest;
const withoutVolume: ReceivedManifest = {
  json: json
    .replace(/,\{"name":"data","size":\{"val":"\d+"\},"attributes":\[[^\]]*\]\}/, '')
    .replace(/,"params":\{"storage":\[[^\]]*\]\}/, ''),
  confirmed: [],
};

describe('a manifest', () => {
  it('that is what was ordered is accepted, with its hash', () => {
    expect(judgeManifest(manifest, context({ expectedHash: hashOf(manifest) }))).toMatchObject({
      kind: 'accepted',
      hash: hashOf(manifest),
      group: { name: 'eu' },
      changes: { changes: [], lostVolumes: [] },
    });
  });

  it('that asks to read what the provider does not grant is refused', () => {
    const asking = { ...manifest, json: json.replace('"params":{', '"params":{"permissions":{"read":["logs","events"]},') };
    expect(groupOf(asking)?.services.flatMap(({ permissions }) => permissions)).toEqual(['logs', 'events']);
    expect(codesOf(asking)).toEqual(['accepted']);
    expect(codesOf(asking, { permissions: ['events', 'deployment'] })).toEqual(['PermissionRefused']);
    expect(codesOf(manifest, { permissions: [] })).toEqual(['accepted']);
  });

  it('that cannot be read is refused', () => {
    expect(codesOf({ json: '{"name":', confirmed: [] })).toEqual(['ManifestInvalid']);
    expect(codesOf({ json: '[{"name":"eu","services":[{"name":"web"}]}]', confirmed: [] })).toEqual(['ManifestInvalid']);
  });

  it('is that of the deployment, byte for byte', () => {
    const expectedHash = hashOf(manifest);
    expect(codesOf({ ...manifest, json: ` ${json}` }, { expectedHash })).toEqual(['ManifestHashMismatch']);
    expect(judgeManifest({ ...manifest, json: ` ${json}` }, context({ expectedHash }))).toMatchObject({
      reasons: [{ message: expect.stringContaining(expectedHash) }],
    });
  });

  it('has the group of the lease; one that is sent alone is taken for it', () => {
    const other = { ...lease, gseq: 2 };
    expect(codesOf(manifest, { lease: other, expectedHash: hashOf(manifest) })).toEqual(['GroupMissing']);
    expect(codesOf(manifest, { lease: other })).toEqual(['accepted']);
  });

  it('orders no more than the lease has', () => {
    const { request } = tenantOrder({ ...wish, keeper: undefined });
    expect(codesOf(manifest, { request })).not.toEqual(['accepted']);
  });

  it('that would lose data is refused, unless the loss of each volume was confirmed', () => {
    const { request } = tenantOrder(wish);
    const units = request.units.map((unit) => ({ ...unit, volumes: unit.volumes?.filter(({ kind }) => kind !== 'persistent') }));
    const changed = { before: groupOf(manifest), request: { units } };
    expect(codesOf(withoutVolume, changed)).toEqual(['DataLossUnconfirmed']);
    expect(judgeManifest(withoutVolume, context(changed))).toMatchObject({
      reasons: [{ message: 'the data of store/data would be lost: confirm each with confirm=store/data, or keep the volume' }],
      changes: { lostVolumes: ['store/data'] },
    });
    expect(codesOf({ ...withoutVolume, confirmed: ['store/other'] }, changed)).toEqual(['DataLossUnconfirmed']);
    expect(codesOf({ ...withoutVolume, confirmed: ['store/data'] }, changed)).toEqual(['accepted']);
  });

  it('with a hostname that it may not have is refused; one that another lease of the owner has is not in the way', () => {
    const withState = (state: HostnameGrant['state']) =>
      codesOf(manifest, {
        hostnames: { check: (_lease, wanted) => wanted.map((each) => ({ ...each, state, code: 'HostnameTaken', message: 'taken' })) },
      });
    expect(withState('refused')).toEqual(['HostnameTaken']);
    expect(withState('withheld')).toEqual(['accepted']);
    expect(withState('waiting')).toEqual(['accepted']);
  });

  it('that shares port 80 without a hostname is refused where the provider gives none', () => {
    const nameless = tenantManifest({ ...wish, hosts: [] });
    const terms = { ingressDomain: 'apps.example.net', staticHosts: true };
    expect(codesOf(nameless)).toEqual(['HostnameMissing']);
    expect(codesOf(nameless, { terms: { ...terms, staticHosts: false } })).toEqual(['HostnameMissing']);
    expect(codesOf(nameless, { terms })).toEqual(['accepted']);
  });
});
