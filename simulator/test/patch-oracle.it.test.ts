import { randomBytes } from 'node:crypto';
import { KubeClient, kinds } from '@quartermaster/kube';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { type OracleKind, PatchOracle, type Step } from './patch-oracle.ts';
import { configMapCases } from './patch-oracle-config-maps.ts';
import { gadgetCases } from './patch-oracle-gadgets.ts';
import { configMapWrites, containerPatches, gadgetWrites } from './patch-oracle-generators.ts';
import { configMaps, gadgetDefinition, gadgets, podTemplates, services } from './patch-oracle-kinds.ts';
import { podTemplateCases, threeContainers } from './patch-oracle-pod-templates.ts';
import { serviceCases } from './patch-oracle-services.ts';

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

  describe('of ConfigMaps', () => {
    it.each(Object.entries(configMapCases))('%s', async (_, steps) => await expectSame(configMaps(), steps));
  });

  describe('of custom resources', () => {
    it.each(Object.entries(gadgetCases))('%s', async (_, steps) => await expectSame(gadgets(group), steps));
  });

  describe('of pod templates', () => {
    it.each(Object.entries(podTemplateCases))('%s', async (_, steps) => await expectSame(podTemplates(), steps));
  });

  describe('of Services', () => {
    it.each(Object.entries(serviceCases))('%s', async (_, steps) => await expectSame(services(), steps));
  });

  describe('that are made up', () => {
    const options = { seed: 4, endOnFailure: true };

    it('change ConfigMaps and their owners alike', async () => {
      const property = fc.asyncProperty(configMapWrites, async (steps) => await expectSame(configMaps(), steps));
      await fc.assert(property, { ...options, numRuns: 60 });
    });

    it('change custom resources and their owners alike', async () => {
      const property = fc.asyncProperty(gadgetWrites, async (steps) => await expectSame(gadgets(group), steps));
      await fc.assert(property, { ...options, numRuns: 80 });
    });

    it('change the containers of a pod template alike', async () => {
      const property = fc.asyncProperty(containerPatches, async (patches) => {
        const steps = patches.map((spec): Step => ({ verb: 'strategic', patch: { template: { spec } } }));
        await expectSame(podTemplates(), [threeContainers, ...steps]);
      });
      await fc.assert(property, { ...options, numRuns: 60 });
    });
  });
});

/** Causes without an order, which the server does not promise, and without its words for what it cannot read. */
function summary(answer: Awaited<ReturnType<PatchOracle['compare']>>['real']) {
  if ('object' in answer) return answer;
  const causes = [...answer.causes].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return { refused: answer.refused, causes };
}
