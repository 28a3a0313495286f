import { StatusError } from '@quartermaster/kernel';
import type { Namespace } from '@quartermaster/kube/shapes';
import { describe, expect, it } from 'vitest';
import { namespaceSeal } from '../../test/namespace-seal.ts';
import { sampleRecord } from '../../test/sample-record.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import { sealAnnotation, secretsAnnotation, seenNamespace } from '../known-leases/seen-namespaces.ts';
import { leaseAnnotations, leaseLabels } from '../model/lease-labels.ts';
import { namespaceObject } from '../objects/namespace-object.ts';
import { type NamespaceOptions, ownNamespace } from './own-namespace.ts';

const { lease, namespace: name } = sampleRecord();
const desired = namespaceObject({ lease, namespace: name });

/** A cluster with a namespace of the lease's name, or without. */
function cluster(there?: Namespace) {
  let stored = there;
  const writes: { readonly verb: string; readonly object: Namespace; readonly decidedOn?: unknown }[] = [];
  const store = (object: Namespace): Namespace => {
    stored = { ...object, metadata: { ...object.metadata, uid: stored?.metadata?.uid ?? 'made', resourceVersion: '9' } };
    return stored;
  };
  const writer = {
    create: async (_type: unknown, object: Namespace) => {
      writes.push({ verb: 'create', object });
      if (stored !== undefined) throw new StatusError('aborted', 'there', { details: { kind: 'already-exists', causes: [] } });
      return store(object);
    },
    apply: async (_type: unknown, object: Namespace, { decidedOn }: { decidedOn: unknown }) => {
      writes.push({ verb: 'apply', object, decidedOn });
      return store(object);
    },
  };
  const own = (record: Partial<LeaseRecord> = {}, { isSeen = true, salt = 'salt' } = {}) => {
    const seen = (object: Namespace) => {
      const found = seenNamespace(object);
      if (found === undefined) throw new Error('it has no name of a lease');
      return found;
    };
    const options = {
      ...{ reader: { find: async () => stored }, writer, record: sampleRecord(record), desired, salt, seen },
      signal: new AbortController().signal,
    } as unknown as NamespaceOptions;
    return ownNamespace(isSeen && stored !== undefined ? seen(stored) : undefined, options);
  };
  return { own, writes, verbs: () => writes.map(({ verb }) => verb), stored: () => stored };
}

/** What is written by a first look, whose create is the last that is done where `isKilled`. */
async function made(record: Partial<LeaseRecord> = {}, { isKilled = false } = {}): Promise<Namespace> {
  const { own, stored, writes } = cluster();
  await own(record);
  const { metadata } = isKilled ? { metadata: { ...writes[0]?.object.metadata, uid: 'made' } } : (stored() ?? {});
  return { metadata: { ...metadata, resourceVersion: '5' } };
}

/** The same with other metadata. */
const changed = ({ metadata }: Namespace, changes: Namespace['metadata']): Namespace => ({
  metadata: { ...metadata, ...changes, annotations: { ...metadata?.annotations, ...changes?.annotations } },
});

const whole = await made();
const begun = await made({}, { isKilled: true });
const begunAnew = await made({ namespaceUid: 'gone' }, { isKilled: true });
/** By somebody who has read all that can be read of the lease but its Secret. */
const forged = (seal?: string): Namespace => {
  const said = seal === undefined ? {} : { [sealAnnotation]: seal };
  return {
    metadata: {
      name,
      uid: 'forged',
      resourceVersion: '5',
      labels: leaseLabels(lease),
      annotations: { ...leaseAnnotations(lease), ...said },
    },
  };
};
const sealOf = ({ metadata }: Namespace): string => metadata?.annotations?.[sealAnnotation] ?? '';

describe('the namespace of a lease', () => {
  it('is made where there is none and sealed for good, and nothing is written once it is as it should be', async () => {
    const { own, writes, verbs, stored } = cluster();
    expect(await own()).toMatchObject({ kind: 'ours', uid: 'made' });
    expect(writes[0]?.object.metadata?.labels).toEqual(desired.object.metadata?.labels);
    expect(sealOf(writes[0]?.object ?? {})).toMatch(/^[0-9a-f]{64}$/);
    expect(sealOf(stored() ?? {})).toBe(namespaceSeal('salt', 'made'));
    expect(await own()).toMatchObject({ kind: 'ours' });
    expect(verbs()).toEqual(['create', 'apply']);
  });

  it('is the one that is there after all, if it was made for the lease', async () => {
    const ours = cluster(whole);
    expect(await ours.own({}, { isSeen: false })).toMatchObject({ kind: 'ours', uid: 'made' });
    const theirs = cluster(forged());
    expect(await theirs.own({}, { isSeen: false })).toMatchObject({ kind: 'blocked', reason: 'NamespaceTaken' });
    expect(theirs.verbs()).toEqual(['create']);
  });

  const lost = { uid: 'record-8' };
  it.each<[what: string, there: Namespace, record: Partial<LeaseRecord>, expected: string]>([
    ['as it should be', whole, {}, 'ours'],
    ['recorded by its uid', forged(), { namespaceUid: 'forged' }, 'ours, put right'],
    ['made and not sealed yet', begun, {}, 'ours, put right'],
    ['made in the place of another and not sealed yet', begunAnew, { namespaceUid: 'gone' }, 'ours, put right'],
    ['made for a record that was lost', whole, lost, 'ours'],
    ['made for a record that was lost before it was sealed', begun, lost, 'NamespaceTaken'],
    ['of its name, its labels and its record alone', forged(), {}, 'NamespaceTaken'],
    ['of its name and labels, with any text for a seal', forged('x'), {}, 'NamespaceTaken'],
    ['of its name and labels, with any text for a seal, whose record was lost', forged('x'), lost, 'NamespaceTaken'],
    ['of its name and labels, with the seal of one that is gone', forged(sealOf(whole)), { namespaceUid: 'made' }, 'NamespaceTaken'],
    ['of its name and labels, with the seal of one that is gone, whose record was lost', forged(sealOf(whole)), lost, 'NamespaceTaken'],
    ['of its name and labels, with what one that is gone was made with', forged(sealOf(begun)), { namespaceUid: 'made' }, 'NamespaceTaken'],
    ['another one than the recorded', forged(), { namespaceUid: 'gone' }, 'NamespaceTaken'],
    ['ours, and on its way out', changed(whole, { deletionTimestamp: '2026-01-01T00:00:00Z' }), {}, 'ending'],
    [
      'ours, with labels of nobody',
      { metadata: { ...whole.metadata, labels: {}, annotations: { [sealAnnotation]: sealOf(whole) } } },
      {},
      'NamespaceTampered',
    ],
    ['ours, with labels that disagree', changed(whole, { labels: leaseLabels({ ...lease, dseq: 8n }) }), {}, 'NamespaceTampered'],
    ...(['owner', 'dseq', 'gseq', 'oseq'] as const).map((part): [string, Namespace, Partial<LeaseRecord>, string] => {
      const another = { ...lease, [part]: part === 'owner' ? 'bob' : part === 'dseq' ? 8n : 2 };
      const labelled = changed(whole, { labels: leaseLabels(another), annotations: leaseAnnotations(another) });
      return [`ours, with another ${part}`, labelled, {}, 'NamespaceTampered'];
    }),
  ])('is one that is %s', async (_what, there, record, expected) => {
    const { own, verbs, stored } = cluster(there);
    const found = await own(record);
    expect(found.kind === 'blocked' ? found.reason : found.kind).toBe(expected.split(',')[0]);
    // What is not ours, or not certainly, is left alone.
    expect(verbs()).toEqual(expected === 'ours, put right' ? ['apply'] : []);
    if (found.kind !== 'ours') return;
    // Whatever is lost now, it is known again.
    expect(await cluster(stored()).own({ uid: 'record-9' })).toMatchObject({ kind: 'ours' });
  });

  it("is nobody's without a salt, and with that of another lease, unless it is recorded", async () => {
    for (const salt of ['', 'another']) {
      expect(await cluster(whole).own({}, { salt })).toMatchObject({ kind: 'blocked', reason: 'NamespaceTaken' });
      const recorded = cluster(whole);
      expect(await recorded.own({ namespaceUid: 'made' }, { salt })).toMatchObject({ kind: 'ours' });
      expect(recorded.verbs()).toEqual(['apply']);
    }
  });

  it('is put right from the version that was looked at, and keeps what is recorded of its Secrets', async () => {
    const annotations = { [secretsAnnotation]: '{"web-env":"hash/uid"}' };
    const { own, writes, verbs } = cluster(changed(whole, { annotations }));
    expect(await own()).toMatchObject({ kind: 'ours', seen: { secrets: '{"web-env":"hash/uid"}' } });
    expect(writes).toMatchObject([{ verb: 'apply', decidedOn: { uid: 'made', resourceVersion: '5' } }]);
    await own();
    expect(verbs()).toEqual(['apply']);
  });
});
