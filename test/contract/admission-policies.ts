import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import { discoveryRole } from '@quartermaster/inventory/roles';
import { StatusError } from '@quartermaster/kernel';
import { type KubeClient, type KubeObject, kinds, resourceType } from '@quartermaster/kube';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { applyDeployment } from '../deploy/apply-deployment.ts';
import { configMap, failureFrom, failureKind, patience, uniqueName } from './client-fixtures.ts';
import { connect, Workbench } from './client-kubeconfigs.ts';
import type { ContractServer } from './contract-server.ts';

interface Policy extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
}

interface TokenRequest extends KubeObject {
  readonly spec: {
    readonly boundObjectRef?: { readonly kind: string; readonly apiVersion: string; readonly name: string; readonly uid: string };
  };
  readonly status?: { readonly token: string };
}

const admission = { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false };
const policies = resourceType<Policy>({ ...admission, kind: 'ValidatingAdmissionPolicy', plural: 'validatingadmissionpolicies' });
const policyBindings = resourceType<Policy>({
  ...admission,
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
});
const messageFrom = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof StatusError ? error.message : `expected a refusal, got ${String(error)}`;
};

/** Rules about writes that an administrator brings. */
export function describeAdmissionPolicies(server: () => ContractServer): void {
  describe('an admission policy', () => {
    const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE', 'DELETE'] };

    /** A policy about ConfigMaps of a namespace of its own, in force. Answers the namespace, where `probe` is refused from then on. */
    async function inForce(spec: object, binding: object = {}): Promise<string> {
      const { client } = server();
      const namespace = await server().namespace();
      const name = `${uniqueName('policy')}.example.com`;
      const matchConstraints = {
        resourceRules: [rule],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      };
      const probe = { expression: "object == null || object.metadata.name != 'probe'", message: 'the probe is refused' };
      const { validations = [], ...others } = spec as { readonly validations?: readonly object[] };
      await client.create(policies, { metadata: { name }, spec: { matchConstraints, ...others, validations: [probe, ...validations] } });
      await client.create(policyBindings, {
        metadata: { name },
        spec: { policyName: name, validationActions: ['Deny'], ...binding },
      });
      onTestFinished(() => client.delete(policies, { name }));
      await vi.waitFor(async () => {
        const probed = client.create(kinds.configMaps, configMap(namespace, 'probe'), { dryRun: true });
        expect(await messageFrom(probed)).toContain('the probe is refused');
      }, patience);
      return namespace;
    }

    it('refuses what its expression says, by its reason, with its message', async () => {
      const colours = "object.data.exists(key, object.data[key] == 'red')";
      const namespace = await inForce({
        variables: [{ name: 'isRed', expression: `request.operation != 'DELETE' && has(object.data) && ${colours}` }],
        validations: [
          { expression: '!variables.isRed', messageExpression: "'nothing red in ' + request.namespace + ', ' + object.metadata.name" },
          { expression: "request.operation != 'UPDATE' || has(oldObject.data)", reason: 'Forbidden', message: 'it had no data before' },
        ],
      });
      const { client } = server();
      const red = client.create(kinds.configMaps, configMap(namespace, 'a', { colour: 'red' }));
      expect(await failureKind(red)).toBe('invalid');
      expect(await messageFrom(red)).toMatch(
        new RegExp(
          `configmaps "a" is forbidden: ValidatingAdmissionPolicy '.*' with binding '.*' denied request: nothing red in ${namespace}, a$`,
        ),
      );
      await client.create(kinds.configMaps, configMap(namespace, 'b', { colour: 'blue' }));
      const changed = client.patch(kinds.configMaps, { namespace, name: 'b' }, { kind: 'merge', body: { data: { other: 'red' } } });
      expect(await messageFrom(changed)).toContain('nothing red');
      await client.create(kinds.configMaps, configMap(namespace, 'empty'));
      const filled = client.patch(kinds.configMaps, { namespace, name: 'empty' }, { kind: 'merge', body: { data: { colour: 'blue' } } });
      expect(await failureKind(filled)).toBe('forbidden');
      expect(await messageFrom(filled)).toContain('it had no data before');
      const outside = await server().namespace();
      await client.create(kinds.configMaps, configMap(outside, 'a', { colour: 'red' }));
    });

    it('sees what a deletion would delete, one by one', async () => {
      const expression = "request.operation != 'DELETE' || !has(oldObject.metadata.labels) || !('keep' in oldObject.metadata.labels)";
      const namespace = await inForce({ validations: [{ expression }] });
      const { client } = server();
      await client.create(kinds.configMaps, { metadata: { namespace, name: 'kept', labels: { keep: 'yes' } } });
      await client.create(kinds.configMaps, configMap(namespace, 'loose'));
      const refused = await messageFrom(client.delete(kinds.configMaps, { namespace, name: 'kept' }));
      expect(refused).toContain(`failed expression: ${expression}`);
      await client.delete(kinds.configMaps, { namespace, name: 'loose' });
      expect(await failureKind(client.deleteCollection(kinds.configMaps, { namespace, labelSelector: 'keep=yes' }))).toBe('invalid');
      expect(await client.get(kinds.configMaps, { namespace, name: 'kept' })).toBeDefined();
    });

    it('says nothing where a condition does not hold, or its name is excluded', async () => {
      const namespace = await inForce({
        matchConditions: [{ name: 'not-mine', expression: "!request.name.startsWith('mine')" }],
        validations: [{ expression: 'object == null || !has(object.data)', message: 'no data' }],
      });
      const { client } = server();
      await client.create(kinds.configMaps, configMap(namespace, 'mine', { a: '1' }));
      expect(await messageFrom(client.create(kinds.configMaps, configMap(namespace, 'yours', { a: '1' })))).toContain('no data');
    });

    it('that fails refuses, unless it says to ignore failures', async () => {
      const validations = [{ expression: "object == null || object.data.nothing == 'x'" }];
      const strict = await inForce({ validations });
      const { client } = server();
      const refused = client.create(kinds.configMaps, configMap(strict, 'a', { colour: 'blue' }));
      expect(await failureKind(refused)).toBe('invalid');
      expect(await messageFrom(refused)).toMatch(/resulted in error: no such key: nothing/);
      const lax = await inForce({ validations, failurePolicy: 'Ignore' });
      await client.create(kinds.configMaps, configMap(lax, 'a', { colour: 'blue' }));
    });

    it('is refused itself for an expression that is none', async () => {
      const metadata = { name: `${uniqueName('policy')}.example.com` };
      const matchConstraints = { resourceRules: [rule] };
      const made = server().client.create(policies, { metadata, spec: { matchConstraints, validations: [{ expression: 'object.' }] } });
      expect(await failureFrom(made)).toMatchObject({ kind: 'invalid', causes: [{ field: 'spec.validations[0].expression' }] });
    });
  });

  describe('the policy of the discovery agents', () => {
    const namespace = 'quartermaster';
    const account = 'quartermaster-discovery';
    const spec = { observedAt: '2026-01-01T00:00:00.000Z', agentVersion: '0.1.0', machine: {} };

    beforeAll(async () => {
      const { client } = server();
      await client.create(kinds.namespaces, { metadata: { name: namespace } });
      expect(await applyDeployment(client, discoveryRole)).toEqual([]);
      for (const name of ['node-a', 'node-b']) await client.create(kinds.nodes, { metadata: { name } });
      await vi.waitFor(async () => await client.list(nodeHardwareType), patience);
    });

    /** With the token of an agent's pod on this node; without a node, with one that is bound to no pod. */
    async function agent(node?: string): Promise<KubeClient> {
      const { client } = server();
      const boundObjectRef = node === undefined ? undefined : await agentPod(node);
      const request: TokenRequest = { spec: boundObjectRef === undefined ? {} : { boundObjectRef } };
      const { status } = await client.createSubresource(kinds.serviceAccounts, { namespace, name: account }, 'token', request);
      return await connect({ kubeconfig: await (await Workbench.open(server())).kubeconfig({ token: status?.token ?? '' }) });
    }

    async function agentPod(node: string): Promise<NonNullable<TokenRequest['spec']['boundObjectRef']>> {
      const name = uniqueName(`discovery-${node}`);
      const podSpec = { nodeName: node, serviceAccountName: account, containers: [{ name: 'discovery', image: 'quartermaster' }] };
      const { metadata } = await server().client.create(kinds.pods, { metadata: { namespace, name }, spec: podSpec });
      return { kind: 'Pod', apiVersion: 'v1', name, uid: metadata?.uid ?? '' };
    }

    const write = async (client: KubeClient, name: string): Promise<unknown> =>
      await client.apply(nodeHardwareType, { metadata: { name }, spec }, { fieldManager: account, force: true, fieldValidation: 'Strict' });

    it('lets no agent write whose token is bound to no pod', async () => {
      const client = await agent();
      const refusal = 'a discovery agent needs a token that is bound to its pod';
      // Without rights, which the server may not know of yet, it is forbidden as well.
      await vi.waitFor(async () => expect(await messageFrom(write(client, 'node-a'))).toContain(refusal), patience);
      expect(await failureKind(write(client, 'node-a'))).toBe('forbidden');
    });

    it('lets an agent write the hardware of its own node and of no other', async () => {
      const client = await agent('node-a');
      await write(client, 'node-a');
      expect(await failureKind(write(client, 'node-b'))).toBe('forbidden');
      expect(await messageFrom(write(client, 'node-b'))).toContain(
        'the discovery agent of node node-a may not write the hardware of node node-b',
      );
      expect(await server().client.find(nodeHardwareType, { name: 'node-b' })).toBeUndefined();

      await write(server().client, 'node-b');
      const changed = client.patch(nodeHardwareType, { name: 'node-b' }, { kind: 'merge', body: { spec: { agentVersion: 'evil' } } });
      expect(await failureKind(changed)).toBe('forbidden');
      const status = { metadata: { name: 'node-b' }, status: { devices: [] } };
      const told = client.apply<object>(nodeHardwareType, status, { fieldManager: account, force: true, subresource: 'status' });
      expect(await failureKind(told)).toBe('forbidden');
      expect((await server().client.get(nodeHardwareType, { name: 'node-b' })).status).toBeUndefined();
    });

    it('ends with the pod that the token is bound to', async () => {
      const client = await agent('node-a');
      await write(client, 'node-a');
      const pods = (await server().client.list(kinds.pods, { namespace })).items;
      for (const { metadata } of pods) {
        await server().client.delete(kinds.pods, { namespace, name: metadata?.name ?? '' }, { gracePeriodSeconds: 0 });
      }
      await vi.waitFor(async () => expect(await failureKind(write(client, 'node-a'))).toBe('unauthorized'), patience);
    });
  });
}
