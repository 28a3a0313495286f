import { randomBytes } from 'node:crypto';
import { failureOf, KubeClient, kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { applyDefaults, crdSchema, type JsonObject, prune, structuralProblems, validateCustomResource } from '../src/schema/index.ts';
import { schemas } from './patch-oracle-schemas.ts';
import { valueSchema, values } from './patch-oracle-values.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function definition(group: string, schema: JsonObject): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `samples.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'samples', singular: 'sample', kind: 'Sample' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

/** What an answer says, without the order of its causes, which the server does not promise. */
const sorted = <T>(causes: readonly T[]): readonly T[] => [...causes].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

describe('the CRDs of the simulator and those of a real API server', () => {
  const id = randomBytes(4).toString('hex');
  const namespace = `crd-oracle-${id}`;
  const group = `crd-${id}.example`;
  let client: KubeClient;

  /** The spec that the server would store, or the causes for which it does not. */
  const dryRun = async (path: string, object: JsonObject) => {
    const request = { what: 'create', method: 'POST', path, query: { dryRun: 'All' }, body: JSON.stringify(object) } as const;
    try {
      const { spec } = await client.transport.json<JsonObject>({ ...request, contentType: 'application/json' });
      return { spec };
    } catch (error) {
      const failure = failureOf(error);
      if (failure?.kind !== 'invalid') throw error;
      return { causes: sorted(failure.causes.map(({ field, reason, message }) => ({ field, reason, message }))) };
    }
  };

  beforeAll(async () => {
    client = await KubeClient.connect({ kubeconfig: inject('sharedCluster').kubeconfig });
    await client.create(kinds.namespaces, { metadata: { name: namespace } });
    const body = JSON.stringify(definition(group, valueSchema));
    await client.transport.json({ what: 'create CRD', method: 'POST', path: crds, body, contentType: 'application/json' });
    const list = { what: 'list', method: 'GET', path: `/apis/${group}/v1/namespaces/${namespace}/samples` } as const;
    const isServed = async () =>
      await client.transport.json(list).then(
        () => true,
        () => false,
      );
    await vi.waitUntil(isServed, { timeout: 30_000 });
  });

  afterAll(async () => {
    await client.delete(kinds.namespaces, { name: namespace });
    await client.transport.json({ what: 'delete CRD', method: 'DELETE', path: `${crds}/samples.${group}` });
    await client.close();
  });

  describe('refuse the same schemas', () => {
    it.each(Object.entries(schemas))('%s', async (_, schema) => {
      const answer = await dryRun(crds, definition(`other.${group}`, schema));
      const problems = structuralProblems(schema, 'spec.validation.openAPIV3Schema');
      expect(sorted(problems)).toEqual('causes' in answer ? answer.causes : []);
    });
  });

  describe('refuse, complete and prune the same values', () => {
    const schema = crdSchema(valueSchema);
    it.each(Object.entries(values))('%s', async (_, fields) => {
      const metadata = { name: 'sample', namespace };
      const object = { apiVersion: `${group}/v1`, kind: 'Sample', metadata, spec: { must: 'x', ...fields } };
      const real = await dryRun(`/apis/${group}/v1/namespaces/${namespace}/samples`, object);
      const whole = applyDefaults(schema, prune(schema, object).object);
      const problems = validateCustomResource(schema, whole);
      expect(problems.length > 0 ? { causes: sorted(problems) } : { spec: whole['spec'] }).toEqual(real);
    });
  });
});
