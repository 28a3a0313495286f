import { randomBytes } from 'node:crypto';
import { KubeClient, kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { type OracleKind, PatchOracle, type Step } from './patch-oracle.ts';
import { type Cases, configMapCases, gadgetCases, podTemplateCases, serviceCases } from './patch-oracle-cases.ts';
import { configMaps, gadgetDefinition, gadgets, podTemplates, services } from './patch-oracle-kinds.ts';

describe('the patches of the simulator and those of a real API server', () => {
  const id = randomBytes(4).toString('hex');
  const namespace = `patch-oracle-${id}`;
  const group = `oracle-${id}.example`;
  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  let client: KubeClient;
  let objects = 0;

  beforeAll(async () => {
    client = await KubeClient.connect({ kubeconfig: inject('sharedCluster').kubeconfig });
    await client.create(kinds.namespaces, { metadata: { name: namespace } });
    const body = JSON.stringify(gadgetDefinition(group));
    await client.transport.json({ what: 'create CRD', method: 'POST', path: crds, body, contentType: 'application/json' });
    const isServed = async () => {
      const list = { what: 'list gadgets', method: 'GET', path: `/apis/${group}/v1/namespaces/${namespace}/gadgets` } as const;
      return await client.transport.json(list).then(
        () => true,
        () => false,
      );
    };
    await vi.waitUntil(isServed, { timeout: 30_000 });
  });

  afterAll(async () => {
    await client.delete(kinds.namespaces, { name: namespace });
    await client.transport.json({ what: 'delete CRD', method: 'DELETE', path: `${crds}/gadgets.${group}` });
    await client.close();
  });

  const expectSame = async (kind: OracleKind, steps: readonly Step[]) => {
    objects += 1;
    const oracle = new PatchOracle(client, kind, namespace, `object-${objects}`);
    for (const [index, step] of steps.entries()) {
      const { real, ours } = await oracle.compare(step);
      expect({ step: index, ...summary(ours) }).toEqual({ step: index, ...summary(real) });
    }
  };

  const describeCases = (name: string, kind: () => OracleKind, cases: Cases) => {
    describe(name, () => {
      it.each(Object.entries(cases))('%s', async (_, steps) => await expectSame(kind(), steps));
    });
  };

  describeCases('of ConfigMaps', configMaps, configMapCases);
  describeCases('of custom resources', () => gadgets(group), gadgetCases);
  describeCases('of pod templates', podTemplates, podTemplateCases);
  describeCases('of Services', services, serviceCases);
});

/** Causes without an order, which the server does not promise; messages where the server's are not made of its own types. */
function summary(answer: Awaited<ReturnType<PatchOracle['compare']>>['real']) {
  if ('object' in answer) return answer;
  const causes = [...answer.causes].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return { refused: answer.refused, causes, ...(answer.causes.length > 0 ? {} : { message: answer.message }) };
}
