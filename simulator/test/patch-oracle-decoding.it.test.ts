import { randomBytes } from 'node:crypto';
import { failureOf, KubeClient, kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { decodeBuiltIn, type JsonObject, schemaOf, undecodableMessage } from '../src/schema/index.ts';

const container = { name: 'main', image: 'registry.example/main' };
const inSpec = (fields: JsonObject): JsonObject => ({
  template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container], ...fields } },
});
const inContainer = (fields: JsonObject): JsonObject => inSpec({ containers: [{ ...container, ...fields }] });

const bodies: Readonly<Record<string, JsonObject>> = {
  'a text for a number': inSpec({ activeDeadlineSeconds: 'x' }),
  'a fraction for a number': inSpec({ priority: 1.5 }),
  'a number out of range': inSpec({ priority: 3e10 }),
  'a text for a list': inSpec({ containers: 'x' }),
  'a text for an item': inSpec({ containers: ['x'] }),
  'a number for a text': inContainer({ workingDir: 3 }),
  'a text for a struct': { template: 'x' },
  'a text for a boolean': inSpec({ hostNetwork: 'yes' }),
  'a list for a struct': inSpec({ securityContext: [] }),
  'a text for a port': inContainer({ ports: [{ containerPort: '80' }] }),
  'a boolean for int or string': inContainer({ lifecycle: { preStop: { httpGet: { port: true } } } }),
  'a fraction for int or string': inContainer({ lifecycle: { preStop: { httpGet: { port: 1.5 } } } }),
  'no quantity': inContainer({ resources: { requests: { cpu: 'x' } } }),
  'a boolean for a quantity': inContainer({ resources: { requests: { cpu: true } } }),
  'a number in a map of texts': inSpec({ nodeSelector: { a: 1 } }),
  'a list for a map': inSpec({ nodeSelector: [] }),
  'a number for a label': { metadata: { labels: { a: 1 } } },
  'no time': { metadata: { creationTimestamp: 'x' } },
  'a number for a time': { metadata: { creationTimestamp: 5 } },
  'an object for a list': { metadata: { ownerReferences: {} } },
  'a text for a list of texts': { metadata: { finalizers: 'x' } },
  'a number for a name': { metadata: { name: 5 } },
  'unknown fields': { ...inSpec({ zz: 1, containers: [{ ...container, yy: {} }] }), bogus: 1, metadata: { name: 'x', odd: 1 } },
};

describe('what a real API server cannot decode', () => {
  const namespace = `decoding-${randomBytes(4).toString('hex')}`;
  const schema = schemaOf('', 'v1', 'PodTemplate');
  let client: KubeClient;

  beforeAll(async () => {
    client = await KubeClient.connect({ kubeconfig: inject('sharedCluster').kubeconfig });
    await client.create(kinds.namespaces, { metadata: { name: namespace } });
  });

  afterAll(async () => {
    await client.delete(kinds.namespaces, { name: namespace });
    await client.close();
  });

  it.each(Object.entries(bodies))('%s', async (_, fields) => {
    const object = { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'sample' }, ...fields };
    const refused = client.transport.json({
      what: 'create',
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/podtemplates`,
      query: { dryRun: 'All', fieldValidation: 'Strict' },
      body: JSON.stringify(object),
      contentType: 'application/json',
    });
    const error: unknown = await refused.catch((thrown: unknown) => thrown);
    expect(failureOf(error)?.kind).toBe('bad-request');
    const decoded = schema === undefined ? undefined : decodeBuiltIn(schema, object);
    expect(decoded !== undefined && ('mismatch' in decoded || decoded.unknown.length > 0)).toBe(true);
    if (decoded === undefined || 'mismatch' in decoded) return;
    expect(`create: ${undecodableMessage('PodTemplate', 'v1', decoded.unknown)}`).toBe((error as Error).message);
  });
});
