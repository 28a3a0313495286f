import { kinds } from '@quartermaster/kube';
import { beforeEach, describe, expect, it } from 'vitest';
import { failure, MemoryKube } from '../../test/memory-kube.ts';
import { type DryRunWrite, describeWrite } from './dry-run-write.ts';
import { DryRunWriter } from './dry-run-writer.ts';

const metadata = { namespace: 'ns', name: 'a' };
const deployment = (replicas: number, image = 'web:1') => ({
  metadata,
  spec: { replicas, selector: {}, template: { spec: { containers: [{ name: 'web', image }] } } },
});

let kube: MemoryKube;
let writes: DryRunWrite[];
let writer: DryRunWriter;

beforeEach(() => {
  kube = new MemoryKube();
  writes = [];
  writer = new DryRunWriter({ server: kube, report: (write) => writes.push(write) });
});

const described = () => writes.map(describeWrite);

describe('DryRunWriter', () => {
  it('sends every verb as a dry run and stores nothing', async () => {
    kube.put(kinds.configMaps, { metadata, data: { x: '1' } });
    const before = structuredClone([...kube.objects]);
    await writer.create(kinds.configMaps, { metadata: { namespace: 'ns', name: 'new' } });
    await writer.replace(kinds.configMaps, { metadata, data: { x: '2' } });
    await writer.patch(kinds.configMaps, metadata, { kind: 'merge', body: { data: { x: '3' } } });
    await writer.apply(kinds.configMaps, { metadata, data: { y: '4' } }, { fieldManager: 'me' });
    await writer.delete(kinds.configMaps, metadata);
    expect([...kube.objects]).toEqual(before);
    expect(kube.calls.map((call) => [call.verb, call.options.dryRun])).toEqual([
      ['create', true],
      ['replace', true],
      ['patch', true],
      ['apply', true],
      ['delete', true],
    ]);
    expect(writes.map((write) => write.verb)).toEqual(['create', 'replace', 'patch', 'apply', 'delete']);
  });

  it('answers with what the server would have stored', async () => {
    kube.put(kinds.configMaps, { metadata, data: { x: '1' } });
    const answer = await writer.apply(kinds.configMaps, { metadata, data: { y: '2' } }, { fieldManager: 'me' });
    expect(answer.data).toEqual({ x: '1', y: '2' });
  });

  it('passes on the other options, and a refusal without reporting it', async () => {
    kube.failures.push(failure('invalid_argument', { kind: 'invalid', causes: [] }));
    await expect(writer.create(kinds.configMaps, { metadata }, { fieldManager: 'me' })).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(kube.calls[0]?.options).toEqual({ fieldManager: 'me', dryRun: true });
    expect(writes).toEqual([]);
  });
});

describe('describeWrite', () => {
  it('shows changed fields, not what the server keeps for itself', async () => {
    kube.put(kinds.deployments, deployment(1));
    await writer.apply(kinds.deployments, deployment(3, 'web:2'), { fieldManager: 'me' });
    expect(described()).toEqual([
      'change Deployment ns/a\n  spec.replicas: 1 → 3\n  spec.template.spec.containers[name=web].image: "web:1" → "web:2"',
    ]);
  });

  it('shows a new object by its parts', async () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
    await writer.create(kinds.configMaps, { metadata: { ...metadata, annotations, labels: { app: 'x' } }, data: { x: '1' } });
    expect(described()).toEqual(['create ConfigMap ns/a\n  + metadata.labels: {"app":"x"}\n  + data: {"x":"1"}']);
  });

  it('names the subresource, and says when there is nothing to do', async () => {
    kube.put(kinds.deployments, deployment(1));
    const ready = { status: { readyReplicas: 1 } };
    await writer.patch(kinds.deployments, metadata, { kind: 'merge', body: ready }, { subresource: 'status' });
    await writer.apply(kinds.deployments, deployment(1), { fieldManager: 'me' });
    await writer.delete(kinds.deployments, metadata);
    await writer.delete(kinds.deployments, { namespace: 'ns', name: 'gone' });
    expect(described()).toEqual([
      'change Deployment ns/a (status)\n  + status: {"readyReplicas":1}',
      'no change to Deployment ns/a',
      'delete Deployment ns/a',
      'nothing to delete: no Deployment ns/gone',
    ]);
  });

  it('never shows the data of a Secret, in the text or in the report', async () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"password":"b2xk"}}' };
    kube.put(kinds.secrets, { metadata: { ...metadata, annotations }, data: { password: 'b2xk', user: 'bWU=' }, type: 'Opaque' });
    await writer.patch(kinds.secrets, metadata, { kind: 'merge', body: { data: { password: 'bmV3', user: null, token: 'dG9r' } } });
    await writer.create(kinds.secrets, { metadata: { namespace: 'ns', name: 'b' }, stringData: { key: 'plain' } });
    await writer.delete(kinds.secrets, metadata);
    expect(described().slice(0, 2)).toEqual([
      'change Secret ns/a\n  data.password: (hidden) → (hidden)\n  - data.user: (hidden)\n  + data.token: (hidden)',
      'create Secret ns/b\n  + stringData: {"key":"(hidden)"}',
    ]);
    for (const secret of ['b2xk', 'bWU=', 'bmV3', 'dG9r', 'plain']) expect(JSON.stringify(writes)).not.toContain(secret);
  });

  it('shortens very long values', async () => {
    await writer.create(kinds.configMaps, { metadata, data: { big: 'x'.repeat(5000) } });
    expect(described()[0]?.length).toBeLessThan(600);
    expect(described()[0]).toContain('characters)');
  });
});
