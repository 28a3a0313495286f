import { KubeClient, type KubeObject, kinds } from '@quartermaster/kube';
import { startRole } from '@quartermaster/runtime/testing';
import { readDeployment } from '@quartermaster/service';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { applyStrictly, deploymentOf } from '../deploy/apply-deployment.ts';
import { askedBy, credentialOf, isRole, isUsed, type Right, rightsOf } from '../deploy/granted-rights.ts';
import { tokenOf } from '../deploy/role-deployment.ts';
import { type ControlPlane, startControlPlane } from '../kube/control-plane.ts';
import { greetingType } from './generated/greeting.ts';
import { greetingRole } from './greeting-operator.ts';
import { greetingDefinition } from './reconcile-greetings.ts';

const namespace = 'quartermaster';
const account = 'greeting-operator';
const patience = { timeout: 30_000, interval: 50 };

/** The operator of the guide, on the real API server, with the account of its own manifests. */
describe('the example operator with its own rights', () => {
  let controlPlane: ControlPlane;
  let admin: KubeClient;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ scheduler: false, controllers: false, audit: 'Request' });
    admin = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
    await admin.create(kinds.namespaces, { metadata: { name: namespace } });
    const objects = [await greetingDefinition(), ...(await readDeployment(deploymentOf(greetingRole)))];
    await applyStrictly(admin, objects);
    await vi.waitFor(() => admin.list(greetingType, { limit: 1 }), patience);
  });

  afterAll(async () => {
    await admin?.close();
    await controlPlane?.stop();
  });

  it('needs each of them, and no other', async () => {
    // Each with a token of its own: what the first was cut off from when it ended is logged whenever the server gets to it.
    const identity = async () => {
      const token = await tokenOf({ admin, namespace }, account);
      return { kubeconfig: await controlPlane.writeKubeconfig({ user: { token } }), credential: credentialOf(token) };
    };
    const operator = await startRole(greetingRole, { kubeconfig: (await identity()).kubeconfig });
    const ref = { namespace: 'default', name: 'hello' };
    const asked = () => askedBy(controlPlane.auditLog ?? '', `system:serviceaccount:${namespace}:${account}`);
    const message = async () => (await admin.find(kinds.configMaps, { ...ref, name: 'hello-greeting' }))?.data?.['message'];
    for (const text of ['good morning', 'good night']) {
      await admin.apply(greetingType, { metadata: ref, spec: { message: text } }, { fieldManager: 'test' });
      await expect.poll(message, patience).toBe(text);
    }
    // The condition was true of the first message already: it must be of the second, or whoever starts again has it to write.
    const isReported = async () => {
      const { metadata, status } = (await admin.find(greetingType, ref)) ?? {};
      return status?.observedGeneration === metadata?.generation && status?.conditions?.[0]?.status;
    };
    await expect.poll(isReported, patience).toBe('True');
    await operator.stop();
    // Neither does one that starts again write what is there already, nor ask for it.
    const { kubeconfig, credential } = await identity();
    const again = await startRole(greetingRole, { kubeconfig });
    const reconciled = async () => (await again.metrics.scrape()).text;
    await expect.poll(reconciled, patience).toMatch(/quartermaster_controller_last_success_timestamp_seconds\{[^}]*\} \d/);
    const own = (await asked()).filter((each) => each.credential === credential);
    expect(own.map(({ verb }) => verb)).toContain('list');
    expect(own.filter(({ resource, verb }) => resource !== 'leases' && !['list', 'watch'].includes(verb))).toEqual([]);
    await admin.delete(greetingType, ref);
    await expect.poll(() => admin.find(greetingType, ref), patience).toBeUndefined();
    const objects: readonly KubeObject[] = await readDeployment(deploymentOf(greetingRole));
    // For an apply of what does not exist yet the server asks for the right to create, and logs a patch.
    const isLogged = ({ resource, verb }: Right): boolean => !(resource === 'configmaps' && verb === 'create');
    const granted = objects.filter(isRole).flatMap(rightsOf).filter(isLogged);
    await vi.waitFor(async () => {
      const all = await asked();
      expect(granted.filter((right) => !isUsed(right, all))).toEqual([]);
    }, patience);
    await again.stop();
    expect((await asked()).filter(({ code }) => code === 403 || code === 401)).toEqual([]);
    expect([...operator.complaints, ...again.complaints]).toEqual([]);
  });
});
