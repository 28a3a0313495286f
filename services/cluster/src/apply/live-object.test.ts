import { type KubeObject, kinds } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import type { DesiredObject } from '../objects/desired.ts';
import { withHash } from './apply-objects.ts';
import { appliedHash, isUpToDate, liveObject } from './live-object.ts';

const salt = 'salt';
const desired: DesiredObject = {
  type: kinds.services,
  object: {
    metadata: { namespace: 'lease-amy-7-1-1', name: 'web', labels: { app: 'web', tier: 'front' }, annotations: { endpoint: 'mail' } },
    spec: { selector: { app: 'web', tier: 'front' }, ports: [{ port: 80, name: 'http' }], externalIPs: [] },
  } as KubeObject,
};

type Editable = Required<Pick<KubeObject, 'metadata'>> & {
  spec: { selector: Record<string, string>; ports: { port: number; name?: string; protocol?: string }[]; [more: string]: unknown };
};

/** What was applied, as the server has it after this. */
const isSoAfter = (edit: (stored: Editable) => object): boolean => {
  const stored = withHash(desired, salt) as Editable;
  return isUpToDate(desired, liveObject(desired.type, { ...stored, ...edit(stored) }), salt);
};
const ports = ({ spec }: Editable, ...others: Editable['spec']['ports']) => ({ spec: { ...spec, ports: others } });
const meta = ({ metadata }: Editable, changed: object) => ({ metadata: { ...metadata, ...changed } });

describe('whether an object is as it was applied', () => {
  it.each<[what: string, expected: boolean, edit: (stored: Editable) => object]>([
    ['nothing was changed', true, () => ({})],
    ['the server filled a field in', true, (stored) => ports(stored, { port: 80, name: 'http', protocol: 'TCP' })],
    ['the server says how it goes', true, () => ({ status: { loadBalancer: {} } })],
    ['the server leaves an empty list out', true, ({ spec: { externalIPs: _left, ...spec } }) => ({ spec })],
    ['somebody added a label', true, (stored) => meta(stored, { labels: { ...stored.metadata?.labels, more: '1' } })],
    ['somebody changed a label', false, (stored) => meta(stored, { labels: { app: 'other', tier: 'front' } })],
    ['somebody took a label away', false, (stored) => meta(stored, { labels: { app: 'web' } })],
    ['somebody took the annotations away', false, (stored) => meta(stored, { annotations: {} })],
    ['somebody added an element to a list', false, (stored) => ports(stored, { port: 80, name: 'http' }, { port: 81 })],
    ['somebody took the elements out', false, (stored) => ports(stored)],
    ['somebody filled an empty list', false, ({ spec }) => ({ spec: { ...spec, externalIPs: ['203.0.113.1'] } })],
    ['somebody changed a value', false, (stored) => ports(stored, { port: 8080, name: 'http' })],
    ['the whole of it is gone', false, () => ({ spec: undefined })],
  ])('where %s: %s', (_what, expected, edit) => {
    expect(isSoAfter(edit)).toBe(expected);
  });

  it('does not depend on the order in which its fields are written, and does on its kind, its values and the salt', () => {
    const { metadata, spec } = desired.object as Editable;
    const turned = {
      spec: { externalIPs: [], ports: [{ name: 'http', port: 80 }], selector: { tier: 'front', app: 'web' } },
      metadata: { ...metadata, labels: { tier: 'front', app: 'web' } },
    } as KubeObject;
    const hash = appliedHash(desired, salt);
    expect(appliedHash({ ...desired, object: turned }, salt)).toBe(hash);
    expect(appliedHash({ ...desired, object: { metadata, spec: { ...spec, ports: [] } } as KubeObject }, salt)).not.toBe(hash);
    expect(appliedHash({ ...desired, type: kinds.configMaps }, salt)).not.toBe(hash);
    expect(appliedHash(desired, 'other')).not.toBe(hash);
  });
});
